/**
 * The condition that a column holds one of a CTE's values: beside a join, or, where nothing else is wanted of the CTE,
 * instead of one. The planner takes a list of JSON for 100 rows, and would sooner read a smaller table from end to end
 * than ask its index so often; and of an app that the statistics do not know it thinks that it has one row, and would
 * compare each of ten thousand with each of the page.
 */
export function among(column: string, cte: string, value = 'id'): string {
  return `${column} = any(array(select ${value} from ${cte}))`;
}

/**
 * Whether a column holds a value that a sub-query finds, which is read once and kept to look values up in: unlike a bare
 * `in`, it is never made a join, whatever the statistics know of the app. For lists that look at all the app has anyway.
 */
export function listed(column: string, values: string): string {
  return `(${column} in (${values})) is true`;
}

/**
 * A parameter's list, of which the planner does not look at the length: it plans once. With the list itself it would
 * plan every call anew, since a plan for the few that there are always looks cheaper than one for any number.
 */
export function anyOf(list: string): string {
  return `any(array(select unnest(${list})))`;
}
