import { Type, type TObject, type TProperties, type TSchema } from '@sinclair/typebox';

/** Building blocks of what the service answers: a shape is the reference's schema and the presenter's type at once. */
export const integer = Type.Integer();
export const number = Type.Number();
export const text = Type.String();
export const truth = Type.Boolean();
export const dateTime = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$',
  description: 'UTC, without offset and fraction',
});
export const anyObject = Type.Record(Type.String(), Type.Unknown());

export function nullable<Shape extends TSchema>(shape: Shape) {
  return Type.Union([shape, Type.Null()]);
}

/** One of these texts. */
export function oneOf<Value extends string>(values: readonly Value[]) {
  return Type.Unsafe<Value>({ type: 'string', enum: [...values] });
}

export function listOf<Shape extends TSchema>(shape: Shape) {
  return Type.Array(shape);
}

/** Every property is always there, and no other one. */
export function record<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false });
}

/** A record that the reference shows under its own name. */
export function named<Properties extends TProperties>(name: string, properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, $id: name });
}

export type { Static as Of } from '@sinclair/typebox';

/** A row of a bulk call that was not written: the row as sent, and why. */
export const failedRow = record({ input: Type.Unknown(), error: record({ message: text }) });
