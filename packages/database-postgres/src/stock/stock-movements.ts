import type { StockMovementFilter } from '@back-office/stock';
import type { Postgres } from '../connection/postgres.js';
import { dateTimeSql } from '../lists/json-sql.js';
import { listed, rowById } from '../lists/list-conditions.js';
import { placeholders } from '../lists/placeholders.js';
import { anyVariantSql } from './variants-of.js';
import { outerApp } from '../connection/outer-app.js';

// Reads in chunks, because a whole range may exceed the memory or the timeout of one statement.
const CHUNK_LINES = 5_000;

/** A line as JSON, and the sort key of its movement. `booked_at` is text, because a `Date` would lose microseconds. */
interface MovementLine {
  readonly text: string;
  readonly booked_at: string;
  readonly movement_id: number;
}

interface Conditions {
  readonly movementConditions: readonly string[];
  readonly lineConditions: readonly string[];
}

// Sorts by an expression, because PostgreSQL could otherwise read all lines of the app in the order of their ids.
const chunkSql = ({ movementConditions, lineConditions }: Conditions): string => `
  select unnest(array(
      select json_build_object('id', l.id, 'movement_id', m.id, 'kind', m.kind, 'booked_at', ${dateTimeSql('m.booked_at')},
        'warehouse_id', m.warehouse_id, 'warehouse_code', w.code, 'product_id', v.product_id,
        'product_variant_id', v.id, 'code', v.code, 'qty', l.qty, 'reference', m.reference)::text
      from stock_movement_lines l
      cross join lateral (${rowById('product_variants', outerApp('m'), 'l.product_variant_id')}) v
      cross join lateral (${rowById('warehouses', outerApp('m'), 'm.warehouse_id')}) w
      where ${[`l.app_id = ${outerApp('m')}`, 'l.movement_id = m.id', ...lineConditions].join(' and ')} order by l.id + 0 limit ${CHUNK_LINES}
    )) as text, m.booked_at::text as booked_at, m.id as movement_id
  from stock_movements m
  where ${['m.app_id = $1', 'm.booked_at >= $2', 'm.booked_at < $3', ...movementConditions].join(' and ')}
  order by m.booked_at, m.id limit ${CHUNK_LINES}`;

/** Yields the lines of all movements of a range in booking order. Each chunk is a JSON list without its brackets. */
export async function* movementChunks(
  database: Postgres,
  appId: number,
  filter: StockMovementFilter,
): AsyncGenerator<string> {
  let lastLine: MovementLine | undefined;
  do {
    const { text, values } = chunkStatement(appId, filter, lastLine);
    const lines = await database.rows<MovementLine>(text, values);
    yield lines.map((line) => line.text).join(',');
    lastLine = lines.length === CHUNK_LINES ? lines.at(-1) : undefined;
  } while (lastLine !== undefined);
}

function chunkStatement(
  appId: number,
  { from, before, warehouseId, productId }: StockMovementFilter,
  previousLine?: MovementLine,
) {
  const values: unknown[] = [appId, from, before];
  const value = placeholders(values);
  const position =
    previousLine && `${value(previousLine.booked_at)}::timestamptz, ${value(previousLine.movement_id)}::bigint`;
  const anyVariant = productId === undefined ? undefined : anyVariantSql(value(productId));
  const movementConditions = [
    ...(warehouseId === undefined ? [] : [`m.warehouse_id = ${value(warehouseId)}::bigint`]),
    ...(anyVariant === undefined ? [] : [hasLinesSql(anyVariant)]),
    ...(position === undefined ? [] : [`(m.booked_at, m.id) >= (${position})`]),
  ];
  const lineConditions = [
    ...(anyVariant === undefined ? [] : [`l.product_variant_id = ${anyVariant}`]),
    ...(previousLine === undefined
      ? []
      : [`(m.booked_at, m.id, l.id) > (${position}, ${value(lineId(previousLine))}::bigint)`]),
  ];
  return { text: chunkSql({ movementConditions, lineConditions }), values };
}

const lineId = ({ text }: MovementLine): number => (JSON.parse(text) as { readonly id: number }).id;

const hasLinesSql = (variants: string): string =>
  listed('m.id', `select movement_id from stock_movement_lines where app_id = $1 and product_variant_id = ${variants}`);
