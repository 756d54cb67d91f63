/** SQL of a date and time as the API sends it, without a zone in UTC. */
export function dateTimeSql(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')`;
}

/** SQL of minor units as an amount; `decimals` is the parameter with the currency's decimals. */
export function moneySql(column: string, decimals: string): string {
  return `trim_scale(${column}::numeric / 10::numeric ^ ${decimals}::int)`;
}

/** SQL of the name of an id counted from 1. */
export function nameSql(column: string, names: readonly string[]): string {
  return `(array[${names.map((name) => `'${name}'`).join(', ')}])[${column}]`;
}
