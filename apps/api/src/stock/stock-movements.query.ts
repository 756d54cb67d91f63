import { listed } from '../database/among.js';
import type { Database } from '../database/database.js';
import { dateTimeSql } from '../database/json-sql.js';
import { placeholders } from '../database/placeholders.js';
import { anyVariantOf } from './variants-of.query.js';

export interface MovementFilter {
  readonly from: Date;
  readonly before: Date;
  readonly warehouseId: number | undefined;
  readonly productId: number | undefined;
}

/** Lines are read so many at once: a range may hold more than fits into memory, or into the time of one statement. */
const RUN = 5_000;

/** A line as JSON, and the place of its movement in the order of booking. The moment is text: a Date would cut it. */
interface Line {
  readonly text: string;
  readonly booked_at: string;
  readonly movement_id: number;
}

interface Conditions {
  readonly ofMovements: readonly string[];
  readonly ofLines: readonly string[];
}

// As in the list of stocks, what belongs to a movement is looked up by that movement's own app.
const runOf = ({ ofMovements, ofLines }: Conditions): string => `
  select unnest(array(
      select json_build_object('id', l.id, 'movement_id', m.id, 'kind', m.kind, 'booked_at', ${dateTimeSql('m.booked_at')},
        'warehouse_id', m.warehouse_id, 'warehouse_code', w.code, 'product_id', v.product_id,
        'product_variant_id', v.id, 'code', v.code, 'qty', l.qty, 'reference', m.reference)::text
      from stock_movement_lines l
      join product_variants v on v.app_id = m.app_id and v.id = l.product_variant_id
      join warehouses w on w.app_id = m.app_id and w.id = m.warehouse_id
      where ${['l.app_id = m.app_id', 'l.movement_id = m.id', ...ofLines].join(' and ')} order by l.id limit ${RUN}
    )) as text, m.booked_at::text as booked_at, m.id as movement_id
  from stock_movements m
  where ${['m.app_id = $1', 'm.booked_at >= $2', 'm.booked_at < $3', ...ofMovements].join(' and ')}
  order by m.booked_at, m.id limit ${RUN}`;

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
  const moment = after && `${value(after.booked_at)}::timestamptz, ${value(after.movement_id)}::bigint`;
  const ofProduct = productId === undefined ? undefined : anyVariantOf(value(productId));
  const ofMovements = [
    ...(warehouseId === undefined ? [] : [`m.warehouse_id = ${value(warehouseId)}::bigint`]),
    ...(ofProduct === undefined ? [] : [withLinesOf(ofProduct)]),
    ...(moment === undefined ? [] : [`(m.booked_at, m.id) >= (${moment})`]),
  ];
  const ofLines = [
    ...(ofProduct === undefined ? [] : [`l.product_variant_id = ${ofProduct}`]),
    ...(after === undefined ? [] : [`(m.booked_at, m.id, l.id) > (${moment}, ${value(idOf(after))}::bigint)`]),
  ];
  return { text: runOf({ ofMovements, ofLines }), values };
}

const idOf = ({ text }: Line): number => (JSON.parse(text) as { readonly id: number }).id;

const withLinesOf = (variants: string): string =>
  listed('m.id', `select movement_id from stock_movement_lines where app_id = $1 and product_variant_id = ${variants}`);
