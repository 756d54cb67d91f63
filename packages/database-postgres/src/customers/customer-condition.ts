import type { CustomerName } from '@back-office/customers';

/** Condition that `c`, a row of customers, is this customer; `value` adds a value to the statement. */
export function customerCondition(name: CustomerName, value: (one: unknown) => string): string {
  if (name.externalRef !== undefined) return `c.external_ref = ${value(name.externalRef)}::text`;
  const { id, dataPart, timePart } = name;
  return `c.id = ${value(id)}::bigint and c.data_part = ${value(dataPart)}::bigint
    and c.time_part = ${value(timePart)}::bigint`;
}
