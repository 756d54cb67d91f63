import type { CustomerIdentifier } from '@back-office/customers';

export function customerCondition(identifier: CustomerIdentifier, value: (parameter: unknown) => string): string {
  if (identifier.externalRef !== undefined) return `c.external_ref = ${value(identifier.externalRef)}::text`;
  const { id, dataPart, timePart } = identifier;
  return `c.id = ${value(id)}::bigint and c.data_part = ${value(dataPart)}::bigint
    and c.time_part = ${value(timePart)}::bigint`;
}
