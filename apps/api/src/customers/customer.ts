import type { Customer } from '@back-office/customers';
import { formatDateTime } from '@back-office/kernel';
import { dateTime, integer, component, nullable, text, boolean, type TypeOf } from '../http/shapes.js';

export const CustomerShape = component('Customer', {
  id: integer,
  data_part: integer,
  time_part: integer,
  external_ref: nullable(text),
  email: text,
  first_name: text,
  last_name: text,
  phone: nullable(text),
  viber_subscribed: boolean,
  preferred_notification_channel_id: nullable(integer),
  loyalty_points: integer,
  inserted_at: dateTime,
  updated_at: dateTime,
});

export function presentCustomer(row: Customer): TypeOf<typeof CustomerShape> {
  return {
    id: row.id,
    data_part: row.data_part,
    time_part: row.time_part,
    external_ref: row.external_ref,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    phone: row.phone,
    viber_subscribed: row.viber_subscribed,
    preferred_notification_channel_id: row.preferred_notification_channel_id,
    loyalty_points: row.loyalty_points,
    inserted_at: formatDateTime(row.inserted_at),
    updated_at: formatDateTime(row.updated_at),
  };
}
