import { isBlank, refuse, type Clock, type Refusal } from '@back-office/kernel';
import {
  explanationOf,
  MATCHING,
  matcherOf,
  type Explanation,
  type Explanations,
  type Match,
  type Matcher,
} from '@back-office/matching';
import { rowsByDraft, waitForBulkTurn, type BulkOptions } from '../database/bulk.js';
import type { Database, Transaction } from '../database/database.js';
import { ALREADY_TAKEN } from '../http/request-fields.js';
import type { WarehouseRow, WarehouseWish } from './warehouse.js';

const COLUMNS = 'id, code, name, address_line_1, city, postcode, market_id, sellable, inserted_at, updated_at';

const LOCK_NAMED = `
  select ${COLUMNS} from warehouses
  where app_id = $1 and deleted_at is null and (code = any($2::text[]) or id = any($3::bigint[]))
  order by id for update`;

const WITH_STOCK = `
  select distinct warehouse_id as id from stocks
  where app_id = $1 and warehouse_id = any($2::bigint[]) and (on_hand > 0 or reserved > 0)`;

const ROW = `
  (place int, id bigint, code text, name text, address_line_1 text, city text, postcode text, market_id int, sellable bool)`;

// Before the others: a new warehouse may take the code of one that goes in the same call.
const DELETE = 'update warehouses set deleted_at = $3 where app_id = $1 and id = any($2::bigint[])';

const WRITE = `
  with row as (select * from json_to_recordset($2) as row ${ROW}),
  inserted as (
    insert into warehouses (app_id, code, name, address_line_1, city, postcode, market_id, sellable, inserted_at, updated_at)
    select $1, code, name, address_line_1, city, postcode, market_id, sellable, $3, $3 from row where id is null order by place
    returning ${COLUMNS}
  ), updated as (
    update warehouses w
    set name = row.name, address_line_1 = row.address_line_1, city = row.city, postcode = row.postcode,
        market_id = row.market_id, sellable = row.sellable, updated_at = $3
    from row where w.app_id = $1 and w.id = row.id
    returning w.id, w.code, w.name, w.address_line_1, w.city, w.postcode, w.market_id, w.sellable, w.inserted_at, w.updated_at
  )
  select * from inserted union all select * from updated order by id`;

const ADD = `
  insert into warehouses (app_id, code, name, address_line_1, city, postcode, market_id, sellable, inserted_at, updated_at)
  select $1, code, name, address_line_1, city, postcode, market_id, sellable, $3, $3 from json_to_record($2) as row ${ROW}
  on conflict (app_id, code) where deleted_at is null do nothing
  returning ${COLUMNS}`;

/** Keys of the rows that cannot be written, in input order; nothing was written then. */
export interface Rejected {
  readonly failures: readonly string[];
}

export interface Written {
  /** In a dry run new ones have no id. */
  readonly warehouses: readonly WrittenWarehouse[];
  readonly deleted: readonly number[];
  readonly explain: Explanations | undefined;
}

export type NewWarehouse = Omit<WarehouseRow, 'id' | 'inserted_at' | 'updated_at'>;
type WrittenWarehouse = Omit<WarehouseRow, 'id'> & { readonly id: number | null };

interface Draft {
  id: number | null;
  code: string | null;
  wish: WarehouseWish;
  sellable: boolean;
  deleted: boolean;
}

export class TypeOrmWarehouses {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Refused when a warehouse of the app has this code already. */
  add(appId: number, warehouse: NewWarehouse): Promise<WarehouseRow | Refusal> {
    return this.database.transaction(async (transaction) => {
      // Its turn: a bulk write that has not found this code is about to insert it.
      await waitForBulkTurn(transaction, 'warehouses', appId, 1);
      const [added] = await transaction.last<WarehouseRow>(ADD, [appId, JSON.stringify(warehouse), this.clock.now()]);
      return added ?? refuse(ALREADY_TAKEN, 'code');
    });
  }

  /**
   * Creates, changes and deletes warehouses, all or nothing. A later row about the same warehouse wins.
   * A row that broke a rule already arrives as that rule's key.
   */
  put(
    appId: number,
    rows: readonly (WarehouseWish | string)[],
    { explain, dryRun = false }: BulkOptions = {},
  ): Promise<Written | Rejected> {
    const wishes = rows.filter((row) => typeof row !== 'string');
    const work = async (transaction: Transaction): Promise<Written | Rejected> => {
      await waitForBulkTurn(transaction, 'warehouses', appId, rows.length);
      const found = await lockNamed(transaction, appId, wishes);
      const withStock = await idsWithStock(transaction, appId, found, wishes);
      const plan = planned(rows, found, withStock);
      if ('failures' in plan) return plan;
      const written = await write(transaction, appId, plan, this.clock.now(), dryRun);
      return { ...written, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { rehearsal: dryRun });
  }
}

async function lockNamed(
  transaction: Transaction,
  appId: number,
  wishes: readonly WarehouseWish[],
): Promise<WarehouseRow[]> {
  transaction.locks('warehouse');
  const codes = wishes.flatMap((wish) => wish.code ?? []);
  const ids = wishes.flatMap((wish) => wish.id ?? []);
  return transaction.rows<WarehouseRow>(LOCK_NAMED, [appId, codes, ids]);
}

async function idsWithStock(
  transaction: Transaction,
  appId: number,
  found: readonly WarehouseRow[],
  wishes: readonly WarehouseWish[],
): Promise<Set<number>> {
  if (!wishes.some((wish) => wish.delete)) return new Set();
  const rows = await transaction.rows<{ id: number }>(WITH_STOCK, [appId, found.map((row) => row.id)]);
  return new Set(rows.map((row) => row.id));
}

interface Plan {
  readonly drafts: readonly Draft[];
  /** To be asked when new warehouses have their ids. */
  readonly explain: () => readonly (readonly Explanation[])[];
}

function planned(
  rows: readonly (WarehouseWish | string)[],
  found: readonly WarehouseRow[],
  withStock: ReadonlySet<number>,
): Plan | Rejected {
  const matcher = matcherOf<Draft>(MATCHING['PUT /warehouse'].warehouse, found.map(draftOf));
  const matches: Match<Draft>[] = [];
  const failures: string[] = [];
  const drafts = rows.flatMap((wish) => {
    if (typeof wish === 'string') return fail(failures, wish);
    matches.push(matcher.explain(wish));
    const draft = match(matcher, wish);
    if (draft === 'mismatch') return fail(failures, 'API.Warehouses.CodeAndIdMismatch');
    if (wish.delete) return remove(matcher, draft, withStock, failures);
    return [put(matcher, draft, wish)];
  });
  const explain = (): Explanation[][] => matches.map((each) => [explanationOf('warehouse', each)]);
  return failures.length > 0 ? { failures } : { drafts, explain };
}

/** When code and id are both sent, both must name the same warehouse. */
function match(matcher: Matcher<Draft>, { code, id }: WarehouseWish): Draft | undefined | 'mismatch' {
  const byCode = matcher.holder('code', code);
  const byId = matcher.holder('id', id);
  if (hasText(code) && id !== undefined && id !== null) return byCode === byId ? byCode : 'mismatch';
  return byCode ?? byId;
}

function put(matcher: Matcher<Draft>, found: Draft | undefined, wish: WarehouseWish): Draft {
  const sellable = wish.sellable ?? found?.sellable ?? true;
  if (found) return Object.assign(found, { wish, sellable });
  const draft = { id: null, code: hasText(wish.code) ? wish.code : null, wish, sellable, deleted: false };
  matcher.add(draft);
  return draft;
}

function remove(
  matcher: Matcher<Draft>,
  draft: Draft | undefined,
  withStock: ReadonlySet<number>,
  failures: string[],
): Draft[] {
  if (draft === undefined) return fail(failures, 'API.Warehouses.NotFound');
  if (draft.id !== null && withStock.has(draft.id)) return fail(failures, 'API.Warehouses.HasStock');
  matcher.remove(draft);
  draft.deleted = true;
  return [draft];
}

function fail(failures: string[], key: string): [] {
  failures.push(key);
  return [];
}

async function write(
  transaction: Transaction,
  appId: number,
  { drafts }: Plan,
  now: Date,
  dryRun: boolean,
): Promise<Omit<Written, 'explain'>> {
  const once = [...new Set(drafts)];
  const kept = once.filter((draft) => !draft.deleted);
  const deleted = once.flatMap((draft) => (draft.deleted && draft.id !== null ? [draft.id] : []));
  const rows = kept.map(({ id, code, wish, sellable }, place) => ({ ...wish, place, id, code, sellable }));
  if (deleted.length > 0) await transaction.rows(DELETE, [appId, deleted, now]);
  const written = await transaction.last<WarehouseRow>(WRITE, [appId, JSON.stringify(rows), now]);
  const rowOf = rowsByDraft(kept, written);
  if (!dryRun) for (const [draft, { id }] of rowOf) draft.id = id;
  const warehouses = drafts.flatMap((draft) => {
    const row = rowOf.get(draft);
    return row === undefined ? [] : { ...row, id: draft.id };
  });
  return { warehouses, deleted };
}

function draftOf(row: WarehouseRow): Draft {
  return { id: row.id, code: row.code, wish: row, sellable: row.sellable, deleted: false };
}

function hasText(code: string | null | undefined): code is string {
  return !isBlank(code ?? '');
}
