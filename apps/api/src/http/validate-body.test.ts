import { getMetadataStorage } from 'class-validator';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsEmail,
  IsInt,
  IsOptional,
  IsRecordId,
  Length,
  Min,
  Type,
  ValidatedByDomain,
  ValidateNested,
  Wrapper,
} from './request-fields.js';
import { validateBody } from './validate-body.js';

class ParcelItem {
  @IsInt() @Min(1) qty!: number;
}

class ParcelFields {
  @Length(1, 5) @IsEmail() email!: string;
  @IsOptional() @IsRecordId() shop_id?: number | null;
  @IsOptional() @ValidatedByDomain({ type: 'object' }) details?: unknown;
  @ValidateNested({ each: true }) @Type(() => ParcelItem) @ArrayNotEmpty() @ArrayMaxSize(2) items!: ParcelItem[];
}

class PostParcel {
  @Wrapper() @ValidateNested() @Type(() => ParcelFields) parcel!: ParcelFields;
}

/** All suites of a Jest worker share this storage of the decorators. */
const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: Map<object, unknown> };
afterAll(() => [ParcelItem, ParcelFields, PostParcel].forEach((body) => validationMetadatas.delete(body)));

const VALID = { email: 'a@b', items: [{ qty: 1 }] };
const validate = (parcel: unknown) => validateBody(PostParcel, { parcel });
const refusalOf = (parcel: unknown): unknown => {
  try {
    return validate(parcel).errors;
  } catch (error) {
    return (error as { problems: { pointer: string }[] }).problems.map(({ pointer }) => pointer);
  }
};

describe('validateBody', () => {
  it('keeps the fields of the class only', () => {
    const raw =
      '{"constructor": 1, "__proto__": {"shop_id": 7}, "toString": 1, "size": 2, "email": "a@b", "items": [{"qty": 1}]}';
    const { body, errors } = validate(JSON.parse(raw));
    expect(errors).toBeUndefined();
    expect(body.parcel).toBeInstanceOf(ParcelFields);
    expect(Object.entries(body.parcel)).toEqual([
      ['email', 'a@b'],
      ['items', [{ qty: 1 }]],
    ]);
  });

  it('keeps a value without a class unchanged', () => {
    const details: unknown = JSON.parse('{"constructor": 1, "__proto__": {"then": 1}}');
    expect(validate({ ...VALID, details }).body.parcel.details).toBe(details);
  });

  it('replaces an id out of range by 0', () => {
    const idOf = (id: number) => validate({ ...VALID, shop_id: id }).body.parcel.shop_id;
    expect([7, 2 ** 53, -(2 ** 60)].map(idOf)).toEqual([7, 0, 0]);
  });

  it.each([
    ['blank', ' ', "can't be blank"],
    ['too long and no address', 'abcdef', 'is too long'],
    ['no address', 'abc', 'is invalid'],
    ['missing', undefined, "can't be blank"],
  ])('reports the first broken rule of a text that is %s', (_, email, message) => {
    expect(refusalOf({ ...VALID, email })).toEqual({ email: [message] });
  });

  it.each([
    ['an empty list', [], "can't be blank"],
    ['an overlong list', [{ qty: 1 }, { qty: 1 }, { qty: 1 }, { qty: 'x' }], 'is too long'],
  ])('refuses %s', (_, items, message) => {
    expect(refusalOf({ ...VALID, items })).toEqual({ items: [message] });
  });

  it.each([
    ['a list as a text', { ...VALID, email: [] }, ['/parcel/email']],
    ['a text as a number', { ...VALID, items: [{ qty: 1 }, { qty: '1' }] }, ['/parcel/items/1/qty']],
    ['a text in a list of objects', { ...VALID, items: ['a', { qty: 1 }, []] }, ['/parcel/items/0', '/parcel/items/2']],
    ['a missing wrapper', undefined, ['/parcel']],
  ])('throws 400 for %s', (_, parcel, pointers) => {
    expect(refusalOf(parcel)).toEqual(pointers);
  });
});
