import {
  dateTime,
  described,
  integer,
  listOf,
  component,
  nullable,
  number,
  record,
  text,
  boolean,
} from '../http/shapes.js';

export const StockSumShape = record({ on_hand: integer, reserved: integer, available: integer });

export const ImageShape = record({ image_url: text, alt: nullable(text) });

const AttributeShape = record({ external_ref: text, code: nullable(text), name: text, value: text });

export const ProductShape = component('Product', {
  id: integer,
  code: text,
  barcode: nullable(text),
  external_ref: nullable(text),
  name: text,
  slug: text,
  description: nullable(text),
  vat_rate: nullable(number),
  price: nullable(number),
  lowest_price: nullable(number),
  active: boolean,
  sales_quantity: integer,
  images: described(listOf(ImageShape), 'of the product itself; variants have their own'),
  attributes: described(listOf(AttributeShape), 'a change of them is no change of `updated_at`, and no event'),
  variants: listOf(
    record({
      id: integer,
      code: nullable(text),
      barcode: nullable(text),
      external_ref: nullable(text),
      name: nullable(text),
      price: nullable(number),
      images: listOf(ImageShape),
      stock: StockSumShape,
    }),
  ),
  inserted_at: dateTime,
  updated_at: dateTime,
});
