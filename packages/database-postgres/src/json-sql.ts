/** Formats a time as the API sends it: UTC, without a zone. */
export function dateTimeSql(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')`;
}

/** Converts minor units to an amount. `decimals` is the parameter with the decimals of the currency. */
export function moneySql(column: string, decimals: string): string {
  return `trim_scale(${column}::numeric / 10::numeric ^ ${decimals}::int)`;
}

/** Returns SQL for the name of an id; ids count from 1. */
export function nameSql(column: string, names: readonly string[]): string {
  return `(array[${names.map((name) => `'${name}'`).join(', ')}])[${column}]`;
}
