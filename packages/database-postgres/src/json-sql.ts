/** Formats a time as JSON, which takes PostgreSQL half the time of `to_char`. An interval saves the look-up of a zone. */
export function dateTimeSql(column: string): string {
  return `to_json(date_trunc('second', ${column} at time zone interval '0'))`;
}

const MINOR_UNITS = 'array[1, 0.1, 0.01, 0.001, 0.0001]';

/** Converts minor units to an amount. `decimals` is the parameter with the currency's decimals. */
export function moneySql(column: string, decimals: string): string {
  return `trim_scale(${column} * (${MINOR_UNITS})[${decimals}::int + 1])`;
}

/** Converts an id to its name. Ids are positions in `names`, counted from 1. */
export function nameSql(column: string, names: readonly string[]): string {
  return `(array[${names.map((name) => `'${name}'`).join(', ')}])[${column}]`;
}
