import { Type, type TObject, type TProperties, type TSchema } from '@sinclair/typebox';

/** A shape is the schema in the API reference and also the type of the presented record. */
/** Code generators would use 32 bits for an integer without a format. */
export const integer = Type.Integer({ format: 'int64' });
export const number = Type.Number();
export const text = Type.String();
export const boolean = Type.Boolean();
export const dateTime = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$',
  description: 'UTC, without offset and fraction',
});
export const anyObject = Type.Record(Type.String(), Type.Unknown());

export function nullable<Shape extends TSchema>(shape: Shape) {
  return Type.Union([shape, Type.Null()]);
}

export function oneOf<Value extends string>(values: readonly Value[]) {
  return Type.Unsafe<Value>({ type: 'string', enum: [...values] });
}

export function listOf<Shape extends TSchema>(shape: Shape) {
  return Type.Array(shape);
}

export function described<Shape extends TSchema>(shape: Shape, description: string): Shape {
  return { ...shape, description };
}

/** An object in which all properties are required and no others are allowed. */
export function record<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false });
}

export function component<Properties extends TProperties>(name: string, properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, $id: name });
}

export type { Static as TypeOf } from '@sinclair/typebox';
