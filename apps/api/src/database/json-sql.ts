/** SQL that writes values as the interface sends them, for lists whose JSON the database builds. */
export function dateTimeSql(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')`;
}

/** Minor units as the currency's number; `decimals` is the parameter that says how many it has. */
export function moneySql(column: string, decimals: string): string {
  return `trim_scale(${column}::numeric / 10::numeric ^ ${decimals}::int)`;
}

/** The name that belongs to an id counted from 1. */
export function nameSql(column: string, names: readonly string[]): string {
  return `(array[${names.map((name) => `'${name}'`).join(', ')}])[${column}]`;
}
