import type { Database } from '../database/database.js';
import { dateTimeSql } from '../database/json-sql.js';
import { placeholders } from '../database/placeholders.js';

export interface MovementFilter {
  readonly from: Date;
  readonly before: Date;
  readonly warehouseId: number | undefined;
  readonly productId: number | undefined;
}

/** Lines are read so many at once: a range may hold more than fits into memory, or into the time of one statement. */
const RUN = 5_000;

/** A line of a movement as JSON, and its place in the order of booking. The moment is text: a Date would cut it. */
interface Line {
  readonly text: string;
  readonly booked_at: string;
  readonly movement_id: number;
  readonly id: number;
}

const runOf = (conditions: readonly string[]): string => `
  select json_build_object('id', l.id, 'movement_id', m.id, 'kind', m.kind, 'booked_at', ${dateTimeSql('m.booked_at')},
    'warehouse_id', m.warehouse_id, 'warehouse_code', w.code, 'product_id', v.product_id,
    'product_variant_id', l.product_variant_id, 'code', v.code, 'qty', l.qty, 'reference', m.reference)::text as text,
    m.booked_at::text as booked_at, m.id as movement_id, l.id
  from stock_movements m
  join stock_movement_lines l on l.app_id = $1 and l.movement_id = m.id
  join product_variants v on v.app_id = $1 and v.id = l.product_variant_id
  join warehouses w on w.app_id = $1 and w.id = m.warehouse_id
  where ${['m.app_id = $1', 'm.booked_at >= $2', 'm.booked_at < $3', ...conditions].join(' and ')}
  order by m.booked_at, m.id, l.id limit ${RUN}`;

/** The lines of all movements of a range in booking order, as the inside of a JSON list, a run at a time. */
export async function* movementRuns(database: Database, appId: number, filter: MovementFilter): AsyncGenerator<string> {
  let last: Line | undefined;
  do {
    const { text, values } = runStatement(appId, filter, last);
    const lines = await database.rows<Line>(text, values);
    yield lines.map((line) => line.text).join(',');
    last = lines.length === RUN ? lines.at(-1) : undefined;
  } while (last !== undefined);
}

function runStatement(appId: number, { from, before, warehouseId, productId }: MovementFilter, after?: Line) {
  const values: unknown[] = [appId, from, before];
  const value = placeholders(values);
  const conditions = [
    ...(warehouseId === undefined ? [] : [`m.warehouse_id = ${value(warehouseId)}::bigint`]),
    ...(productId === undefined ? [] : [`v.product_id = ${value(productId)}::bigint`]),
    ...(after === undefined ? [] : [isAfter(after, value)]),
  ];
  return { text: runOf(conditions), values };
}

/** The first comparison is the second one without its end: it finds the place by index. */
function isAfter({ booked_at: bookedAt, movement_id: movementId, id }: Line, value: (one: unknown) => string): string {
  const place = `${value(bookedAt)}::timestamptz, ${value(movementId)}::bigint`;
  return `(m.booked_at, m.id) >= (${place}) and (m.booked_at, m.id, l.id) > (${place}, ${value(id)}::bigint)`;
}
