import { Type, type TObject, type TProperties, type TSchema } from '@sinclair/typebox';

/** A shape is both the schema of the API reference and the type of the presenter. */
/** Generators take an integer without a format for 32 bits. */
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

/** All properties are required; others are forbidden. */
export function record<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false });
}

export function component<Properties extends TProperties>(name: string, properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, $id: name });
}

export type { Static as TypeOf } from '@sinclair/typebox';
