import type { CustomerName } from './customer-name.js';

/** The condition by which `c`, a row of customers, is the one that is named; `value` adds a value to the statement. */
export function isCustomer(name: CustomerName, value: (one: unknown) => string): string {
  if (name.externalRef !== undefined) return `c.external_ref = ${value(name.externalRef)}::text`;
  const { id, dataPart, timePart } = name;
  return `c.id = ${value(id)}::bigint and c.data_part = ${value(dataPart)}::bigint
    and c.time_part = ${value(timePart)}::bigint`;
}
