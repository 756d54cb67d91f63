const HAS_CITUS = `select to_regclass('pg_dist_partition') is not null as "hasCitus"`;

const MARKED_COLUMN = '.app_id /* or $1 */';

/**
 * Names the app of a row of the outer query, after a space. On one server, the app's parameter instead would make
 * PostgreSQL choose a wrong index for an app that is missing in the statistics. See {@link forCluster}.
 */
export function outerApp(row: string): string {
  return `${row}${MARKED_COLUMN}`;
}

/** Replaces the apps of outer rows by the app's parameter. A cluster would send such a subquery to all nodes. */
export function forCluster(text: string): string {
  const parts = text.split(MARKED_COLUMN);
  const lastPart = parts.pop() ?? '';
  return parts.map((part) => `${part.slice(0, part.lastIndexOf(' ') + 1)}$1`).join('') + lastPart;
}

export async function hasCitus(query: (text: string) => Promise<unknown>): Promise<boolean> {
  const [answer] = (await query(HAS_CITUS)) as { hasCitus: boolean }[];
  return answer?.hasCitus === true;
}
