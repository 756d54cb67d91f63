import { formatDateTime } from '@back-office/kernel';
import type { WrittenLocation } from '@back-office/locations';
import { dateTime, integer, component, nullable, number, record, text, type TypeOf } from '../http/shapes.js';

export const LocationShape = component('AppLocation', {
  id: integer,
  code: nullable(text),
  external_ref: nullable(text),
  name: text,
  latitude: number,
  longitude: number,
  address_line_1: nullable(text),
  city: nullable(text),
  postcode: nullable(text),
  image_url: nullable(text),
  inserted_at: dateTime,
  updated_at: dateTime,
});

export const WrittenLocationShape = record({ ...LocationShape.properties, id: nullable(integer) });

export function presentLocation(row: WrittenLocation): TypeOf<typeof WrittenLocationShape> {
  return {
    id: row.id,
    code: row.code,
    external_ref: row.external_ref,
    name: row.name,
    latitude: row.latitude,
    longitude: row.longitude,
    address_line_1: row.address_line_1,
    city: row.city,
    postcode: row.postcode,
    image_url: row.image_url,
    inserted_at: formatDateTime(row.inserted_at),
    updated_at: formatDateTime(row.updated_at),
  };
}
