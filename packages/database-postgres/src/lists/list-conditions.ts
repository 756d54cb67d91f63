/**
 * Returns a condition that a column has a value of a CTE. The CTE is read once as an array, so the planner uses the
 * index. A join would be slow. Without statistics, the planner expects 100 rows of JSON but only one row of the app, so
 * it chooses a scan or a loop.
 */
export function among(column: string, cte: string, value = 'id'): string {
  return `${column} = any(array(select ${value} from ${cte}))`;
}

/**
 * Returns a condition that a column has a value of a subquery. PostgreSQL hashes the subquery once. Unlike a bare `in`,
 * the condition never becomes a join. Use it for lists that scan all records of the app anyway.
 */
export function listed(column: string, values: string): string {
  return `(${column} in (${values})) is true`;
}

/**
 * Returns `any` of a list parameter, and hides the length of the list from the planner. Otherwise a plan for few values
 * would always look cheaper than the generic plan, so PostgreSQL would plan every call again.
 */
export function anyOf(list: string): string {
  return `any(array(select unnest(${list})))`;
}

/**
 * Selects one row by its id. The limit makes PostgreSQL use the key. Without it, a join may read all rows of the app
 * for each row when statistics suggest a small app.
 */
export const rowById = (table: string, appId: string, id: string): string =>
  `select * from ${table} where app_id = ${appId} and id = ${id} limit 1`;
