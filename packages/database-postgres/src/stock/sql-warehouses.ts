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
  deletionEntries,
  planWarehouses,
  warehouseEntries,
  type DesiredWarehouse,
  type NewWarehouse,
  type Warehouse,
  type WarehouseDraft,
  type Warehouses,
  type WrittenWarehouses,
} from '@back-office/stock';
import { rowsByDraft, beginLockedBulk } from '../connection/bulk.js';
import type { Transaction } from '../connection/transaction.js';
import type { Postgres } from '../connection/postgres.js';
import { WAREHOUSES } from '../tables/stock.js';

const WAREHOUSE_COLUMNS = WAREHOUSES.columns.except('app_id', 'deleted_at');
const WRITTEN_COLUMNS = WAREHOUSE_COLUMNS.except('id', 'inserted_at', 'updated_at');

const LOCK_WAREHOUSES = `
  select ${WAREHOUSE_COLUMNS.list} from warehouses
  where app_id = $1 and deleted_at is null and (code = any($2::text[]) or id = any($3::bigint[]))
  order by id for update`;

const FIND_IDS_WITH_STOCK = `
  select distinct warehouse_id as id from stocks
  where app_id = $1 and warehouse_id = any($2::bigint[]) and (on_hand > 0 or reserved > 0)`;

const WAREHOUSE_ROW = `(ordinal int, id bigint, ${WRITTEN_COLUMNS.typedList})`;

// Deletes first, because a new warehouse may take the code of a deleted one.
const DELETE_WAREHOUSES = 'update warehouses set deleted_at = $3 where app_id = $1 and id = any($2::bigint[])';

const WRITE_WAREHOUSES = `
  with row as (select * from json_to_recordset($2) as row ${WAREHOUSE_ROW}),
  inserted as (
    insert into warehouses (app_id, ${WRITTEN_COLUMNS.list}, inserted_at, updated_at)
    select $1, ${WRITTEN_COLUMNS.list}, $3, $3 from row where id is null order by ordinal
    returning ${WAREHOUSE_COLUMNS.list}
  ), updated as (
    update warehouses w
    set ${WRITTEN_COLUMNS.except('code').setFrom('row')}, updated_at = $3
    from row where w.app_id = $1 and w.id = row.id
    returning ${WAREHOUSE_COLUMNS.of('w')}
  )
  select * from inserted union all select * from updated order by id`;

const ADD_WAREHOUSE = `
  insert into warehouses (app_id, ${WRITTEN_COLUMNS.list}, inserted_at, updated_at)
  select $1, ${WRITTEN_COLUMNS.list}, $3, $3 from json_to_record($2) as row ${WAREHOUSE_ROW}
  on conflict (app_id, code) where deleted_at is null do nothing
  returning ${WAREHOUSE_COLUMNS.list}`;

export class SqlWarehouses implements Warehouses {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  add(appId: number, warehouse: NewWarehouse): Promise<Warehouse | Refusal> {
    return this.database.transaction(async (transaction) => {
      // Takes the bulk lock, because a concurrent bulk write may insert the same code.
      await beginLockedBulk(transaction, 'warehouses', appId, 1);
      const now = this.clock.now();
      const values = [appId, JSON.stringify(warehouse), now];
      const [addedWarehouse] = await transaction.rows<Warehouse>(ADD_WAREHOUSE, values);
      if (addedWarehouse === undefined) return refuse(ALREADY_TAKEN, 'code');
      transaction.record(appId, now, { entries: warehouseEntries([], [addedWarehouse]) });
      return addedWarehouse;
    });
  }

  put(
    appId: number,
    rows: readonly (DesiredWarehouse | string)[],
    { explain, dryRun = false }: BulkOptions = {},
  ): Promise<WrittenWarehouses | RejectedRows> {
    const validRows = rows.filter((row) => typeof row !== 'string');
    const work = async (transaction: Transaction): Promise<WrittenWarehouses | RejectedRows> => {
      await beginLockedBulk(transaction, 'warehouses', appId, rows.length);
      const warehouses = await lockNamedWarehouses(transaction, appId, validRows);
      const stockedIds = await findIdsWithStock(transaction, appId, warehouses, validRows);
      const plan = planWarehouses(rows, { warehouses, stockedIds });
      const rejection = rejectionOf(plan.outcomes);
      if (rejection) return rejection;
      const writing = { before: warehouses, now: this.clock.now(), dryRun };
      const result = await writeWarehouses(transaction, appId, plannedOf(plan.outcomes), writing);
      return { ...result, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { dryRun });
  }
}

async function lockNamedWarehouses(
  transaction: Transaction,
  appId: number,
  rows: readonly DesiredWarehouse[],
): Promise<Warehouse[]> {
  transaction.locks('warehouse');
  const codes = rows.flatMap((row) => row.code ?? []);
  const ids = rows.flatMap((row) => row.id ?? []);
  return transaction.rows<Warehouse>(LOCK_WAREHOUSES, [appId, codes, ids]);
}

async function findIdsWithStock(
  transaction: Transaction,
  appId: number,
  warehouses: readonly Warehouse[],
  desiredWarehouses: readonly DesiredWarehouse[],
): Promise<Set<number>> {
  if (!desiredWarehouses.some((row) => row.delete)) return new Set();
  const rows = await transaction.rows<{ id: number }>(FIND_IDS_WITH_STOCK, [appId, warehouses.map((row) => row.id)]);
  return new Set(rows.map((row) => row.id));
}

async function writeWarehouses(
  transaction: Transaction,
  appId: number,
  drafts: readonly WarehouseDraft[],
  { before, now, dryRun }: { readonly before: readonly Warehouse[]; readonly now: Date; readonly dryRun: boolean },
): Promise<Omit<WrittenWarehouses, 'explain'>> {
  const distinctDrafts = [...new Set(drafts)];
  const keptDrafts = distinctDrafts.filter((draft) => !draft.deleted);
  const deletedIds = distinctDrafts.flatMap((draft) => (draft.deleted && draft.id !== null ? [draft.id] : []));
  const rows = keptDrafts.map(({ id, code, desiredWarehouse, sellable }, ordinal) => ({
    ...desiredWarehouse,
    ordinal,
    id,
    code,
    sellable,
  }));
  transaction.record(appId, now, { entries: deletionEntries(distinctDrafts) });
  if (deletedIds.length > 0) await transaction.rows(DELETE_WAREHOUSES, [appId, deletedIds, now]);
  const storedWarehouses = await transaction.rows<Warehouse>(WRITE_WAREHOUSES, [appId, JSON.stringify(rows), now]);
  transaction.record(appId, now, { entries: warehouseEntries(before, storedWarehouses) });
  const rowOf = rowsByDraft(keptDrafts, storedWarehouses);
  if (!dryRun) for (const [draft, { id }] of rowOf) draft.id = id;
  const warehouses = drafts.flatMap((draft) => {
    const row = rowOf.get(draft);
    return row === undefined ? [] : { ...row, id: draft.id };
  });
  return { warehouses, deleted: deletedIds };
}
