/**
 * Condition that a column holds one of a CTE's values, read once as an array. It makes the planner use the index: it
 * expects 100 rows of JSON and one row of an app without statistics, and would scan or loop instead.
 */
export function among(column: string, cte: string, value = 'id'): string {
  return `${column} = any(array(select ${value} from ${cte}))`;
}

/**
 * Condition that a column holds a value of a subquery, hashed once. Unlike a bare `in`, it never becomes a join. For
 * lists that scan all records of the app anyway.
 */
export function listed(column: string, values: string): string {
  return `(${column} in (${values})) is true`;
}

/**
 * Any value of a list parameter, with its length hidden from the planner. With the bare list a plan for few values
 * always looks cheaper than the generic one, so every call would be planned again.
 */
export function anyOf(list: string): string {
  return `any(array(select unnest(${list})))`;
}
