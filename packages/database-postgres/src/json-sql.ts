export function dateTimeSql(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')`;
}

/** Converts minor units to an amount. `decimals` is the parameter with the currency's decimals. */
export function moneySql(column: string, decimals: string): string {
  return `trim_scale(${column}::numeric / 10::numeric ^ ${decimals}::int)`;
}

export function nameSql(column: string, names: readonly string[]): string {
  return `(array[${names.map((name) => `'${name}'`).join(', ')}])[${column}]`;
}
