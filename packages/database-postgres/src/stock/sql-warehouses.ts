import {
  ALREADY_TAKEN,
  plannedOf,
  rejectionOf,
  refuse,
  type BulkOptions,
  type Clock,
  type Refusal,
  type RejectedRows,
} from '@back-office/kernel';
import {
  planWarehouses,
  type DesiredWarehouse,
  type NewWarehouse,
  type Warehouse,
  type WarehouseDraft,
  type Warehouses,
  type WrittenWarehouses,
} from '@back-office/stock';
import { rowsByDraft, beginLockedBulk } from '../bulk.js';
import type { Transaction } from '../client-transaction.js';
import type { Postgres } from '../postgres.js';
import { WAREHOUSES } from '../tables/stock.js';

const SHOWN = WAREHOUSES.columns.except('app_id', 'deleted_at');
const WRITTEN = SHOWN.except('id', 'inserted_at', 'updated_at');

const LOCK_NAMED = `
  select ${SHOWN.list} from warehouses
  where app_id = $1 and deleted_at is null and (code = any($2::text[]) or id = any($3::bigint[]))
  order by id for update`;

const WITH_STOCK = `
  select distinct warehouse_id as id from stocks
  where app_id = $1 and warehouse_id = any($2::bigint[]) and (on_hand > 0 or reserved > 0)`;

const ROW = `(ordinal int, id bigint, ${WRITTEN.typed})`;

// First, since a new warehouse may take the code of one deleted in the same call.
const DELETE = 'update warehouses set deleted_at = $3 where app_id = $1 and id = any($2::bigint[])';

const WRITE = `
  with row as (select * from json_to_recordset($2) as row ${ROW}),
  inserted as (
    insert into warehouses (app_id, ${WRITTEN.list}, inserted_at, updated_at)
    select $1, ${WRITTEN.list}, $3, $3 from row where id is null order by ordinal
    returning ${SHOWN.list}
  ), updated as (
    update warehouses w
    set ${WRITTEN.except('code').setFrom('row')}, updated_at = $3
    from row where w.app_id = $1 and w.id = row.id
    returning ${SHOWN.of('w')}
  )
  select * from inserted union all select * from updated order by id`;

const ADD = `
  insert into warehouses (app_id, ${WRITTEN.list}, inserted_at, updated_at)
  select $1, ${WRITTEN.list}, $3, $3 from json_to_record($2) as row ${ROW}
  on conflict (app_id, code) where deleted_at is null do nothing
  returning ${SHOWN.list}`;

export class SqlWarehouses implements Warehouses {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  add(appId: number, warehouse: NewWarehouse): Promise<Warehouse | Refusal> {
    return this.database.transaction(async (transaction) => {
      // A concurrent bulk write may be about to insert the same code.
      await beginLockedBulk(transaction, 'warehouses', appId, 1);
      const [added] = await transaction.last<Warehouse>(ADD, [appId, JSON.stringify(warehouse), this.clock.now()]);
      return added ?? refuse(ALREADY_TAKEN, 'code');
    });
  }

  put(
    appId: number,
    rows: readonly (DesiredWarehouse | string)[],
    { explain, dryRun = false }: BulkOptions = {},
  ): Promise<WrittenWarehouses | RejectedRows> {
    const desired = rows.filter((row) => typeof row !== 'string');
    const work = async (transaction: Transaction): Promise<WrittenWarehouses | RejectedRows> => {
      await beginLockedBulk(transaction, 'warehouses', appId, rows.length);
      const warehouses = await lockNamed(transaction, appId, desired);
      const stockedIds = await idsWithStock(transaction, appId, warehouses, desired);
      const plan = planWarehouses(rows, { warehouses, stockedIds });
      const rejected = rejectionOf(plan.outcomes);
      if (rejected) return rejected;
      const written = await write(transaction, appId, plannedOf(plan.outcomes), this.clock.now(), dryRun);
      return { ...written, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { dryRun });
  }
}

async function lockNamed(
  transaction: Transaction,
  appId: number,
  desired: readonly DesiredWarehouse[],
): Promise<Warehouse[]> {
  transaction.locks('warehouse');
  const codes = desired.flatMap((row) => row.code ?? []);
  const ids = desired.flatMap((row) => row.id ?? []);
  return transaction.rows<Warehouse>(LOCK_NAMED, [appId, codes, ids]);
}

async function idsWithStock(
  transaction: Transaction,
  appId: number,
  found: readonly Warehouse[],
  desired: readonly DesiredWarehouse[],
): Promise<Set<number>> {
  if (!desired.some((row) => row.delete)) return new Set();
  const rows = await transaction.rows<{ id: number }>(WITH_STOCK, [appId, found.map((row) => row.id)]);
  return new Set(rows.map((row) => row.id));
}

async function write(
  transaction: Transaction,
  appId: number,
  drafts: readonly WarehouseDraft[],
  now: Date,
  dryRun: boolean,
): Promise<Omit<WrittenWarehouses, 'explain'>> {
  const once = [...new Set(drafts)];
  const kept = once.filter((draft) => !draft.deleted);
  const deleted = once.flatMap((draft) => (draft.deleted && draft.id !== null ? [draft.id] : []));
  const rows = kept.map(({ id, code, desired, sellable }, ordinal) => ({ ...desired, ordinal, id, code, sellable }));
  if (deleted.length > 0) await transaction.rows(DELETE, [appId, deleted, now]);
  const written = await transaction.last<Warehouse>(WRITE, [appId, JSON.stringify(rows), now]);
  const rowOf = rowsByDraft(kept, written);
  if (!dryRun) for (const [draft, { id }] of rowOf) draft.id = id;
  const warehouses = drafts.flatMap((draft) => {
    const row = rowOf.get(draft);
    return row === undefined ? [] : { ...row, id: draft.id };
  });
  return { warehouses, deleted };
}
