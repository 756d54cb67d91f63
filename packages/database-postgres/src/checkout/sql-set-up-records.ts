import {
  planSetUpSteps,
  RESOURCES,
  setUpEntries,
  type Resource,
  type ResourceName,
  type Row,
  type SetUpApp,
  type SetUpOutcome,
  type SetUpQueries,
  type SetUpRecords,
  type StoredRow,
} from '@back-office/checkout';
import { isRow, isStorable, jsonSteps, plannedOf, rejectionOf, type Clock, type Page } from '@back-office/kernel';
import { runInSlices } from '../connection/run-in-slices.js';
import { checkStoredCurrency } from '../apps/app-currency.js';
import { beginLockedBulk, MAX_ROWS_BY_INDEX } from '../connection/bulk.js';
import { listed } from '../lists/list-conditions.js';
import type { Lockable, Transaction } from '../connection/transaction.js';
import { looseCodeSql } from '../migrations/0035-loose-voucher-codes.js';
import { placeholders } from '../lists/placeholders.js';
import type { Postgres } from '../connection/postgres.js';
import { afterSql, type SortKey } from '../lists/sort-keys.js';
import type { NamedColumns } from '../tables/column-list.js';
import { PAYMENT_METHODS, PROMOTIONS, SHIPMENT_METHODS, VOUCHERS } from '../tables/set-up.js';

type FieldOf<Name extends ResourceName> = keyof (typeof RESOURCES)[Name]['fields'] & string;

/** Table that stores the records of one resource. */
interface ResourceTable<Field extends string> {
  readonly columns: NamedColumns<Field> & { readonly columns: Readonly<Record<Field, unknown>> };
  /** Set if other calls also lock rows of the table. */
  readonly lockKind?: Lockable;
  readonly referencedTable?: string;
}

const TABLES: { readonly [Name in ResourceName]: ResourceTable<FieldOf<Name>> } = {
  payment_methods: { columns: PAYMENT_METHODS.columns.except('app_id', 'id', 'inserted_at', 'updated_at') },
  promotions: { columns: PROMOTIONS.columns.except('app_id', 'id', 'inserted_at', 'updated_at') },
  shipment_methods: { columns: SHIPMENT_METHODS.columns.except('app_id', 'id', 'inserted_at', 'updated_at') },
  vouchers: {
    columns: VOUCHERS.columns.except('app_id', 'id', 'spent', 'held_by', 'inserted_at', 'updated_at'),
    lockKind: 'voucher',
    referencedTable: 'customers',
  },
};

const BY_ID: readonly SortKey[] = [{ sql: 'id', type: 'bigint', direction: 'asc' }];

function textsOf(rows: readonly unknown[], field: string): string[] {
  const values = rows.flatMap((row) => (isRow(row) ? [row[field]] : []));
  return values.filter((value) => typeof value === 'string').filter(isStorable);
}

/** PostgreSQL hashes a subquery, but compares each row with every element of a computed array. */
function amongLooseCodes(column: string, sentCount: number): string {
  const sentCodes = `select ${looseCodeSql('sent')} from unnest($3::text[]) as sent`;
  return sentCount > MAX_ROWS_BY_INDEX
    ? listed(looseCodeSql(column), sentCodes)
    : `${looseCodeSql(column)} = any(array(${sentCodes}))`;
}

class LimitExceeded extends Error {
  constructor(readonly key: string) {
    super(key);
  }
}

export class SqlSetUpRecords implements SetUpRecords, SetUpQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async put(name: ResourceName, app: SetUpApp, rows: readonly unknown[]): Promise<SetUpOutcome> {
    try {
      return await this.putAll(name, app, rows);
    } catch (error) {
      if (error instanceof LimitExceeded) return { failures: [{ key: error.key }] };
      throw error;
    }
  }

  private putAll(name: ResourceName, app: SetUpApp, rows: readonly unknown[]): Promise<SetUpOutcome> {
    return this.database.transaction(async (transaction) => {
      await beginLockedBulk(transaction, 'set_up', app.id, rows.length);
      await checkStoredCurrency(transaction, app);
      const lockedRecords = await this.lock(transaction, name, app.id, rows);
      const referencedIds = await this.findReferencedIds(transaction, name, app.id, rows);
      const found = { app, records: lockedRecords, referencedIds };
      const { outcomes } = await runInSlices(planSetUpSteps(RESOURCES[name], rows, found));
      const rejection = rejectionOf(outcomes);
      if (rejection) return rejection;
      const plannedRows = plannedOf(outcomes);
      const drafts = [...new Map(plannedRows.map((row) => [row.code, row])).values()];
      const storedRows = new Map((await this.write(transaction, name, app.id, drafts)).map((row) => [row.code, row]));
      await this.assertWithinLimits(transaction, name, app.id, drafts);
      transaction.record(app.id, this.clock.now(), { entries: setUpEntries(name, lockedRecords, drafts) });
      return { rows: plannedRows.map(({ code }) => storedRows.get(code) as StoredRow) };
    });
  }

  private async assertWithinLimits(
    transaction: Transaction,
    name: ResourceName,
    appId: number,
    writtenRows: readonly Row[],
  ): Promise<void> {
    const { limits = [] }: Resource = RESOURCES[name];
    for (const { count, where, groupColumn, endColumn, failure } of limits) {
      const values: unknown[] = [appId, this.clock.now(), count];
      const conditions = Object.entries(where).map(([column, value]) => `${column} is ${String(value)}`);
      if (groupColumn !== undefined) {
        values.push(writtenRows.map((row) => row[groupColumn]).filter((value) => value !== null));
        conditions.push(`${groupColumn} = any($4::text[])`);
      }
      const text = `
        select count(*) as count from ${name}
        where app_id = $1 and ${conditions.join(' and ')} and (${endColumn} is null or ${endColumn} > $2)
        ${groupColumn === undefined ? '' : `group by ${groupColumn}`} having count(*) > $3 limit 1`;
      if ((await transaction.rows(text, values)).length > 0) throw new LimitExceeded(failure);
    }
  }

  findAll(name: ResourceName, appId: number, ids: readonly number[]): Promise<StoredRow[]> {
    return this.database.rows(`select * from ${name} where app_id = $1 and id = any($2::bigint[])`, [appId, ids]);
  }

  async list(name: ResourceName, appId: number, { offset, limit, after }: Page): Promise<StoredRow[]> {
    const values: unknown[] = [appId, offset, limit];
    const isAfter = after === undefined ? '' : `and ${afterSql(BY_ID, after, placeholders(values))}`;
    const text = `select * from ${name} where app_id = $1 ${isAfter} order by id offset $2 limit $3`;
    return this.database.rows(text, values);
  }

  private lock(
    transaction: Transaction,
    name: ResourceName,
    appId: number,
    rows: readonly unknown[],
  ): Promise<StoredRow[]> {
    const { lockKind }: ResourceTable<string> = TABLES[name];
    if (lockKind) transaction.locks(lockKind);
    const { looseCode }: Resource = RESOURCES[name];
    const hasLooseCode = looseCode ? `or ${amongLooseCodes(looseCode, rows.length)}` : '';
    const text = `
      select * from ${name} where app_id = $1 and (code = any($2::text[]) ${hasLooseCode}) order by id for update`;
    const values = [appId, textsOf(rows, 'code'), ...(looseCode ? [textsOf(rows, looseCode)] : [])];
    return transaction.rows(text, values);
  }

  private async findReferencedIds(
    transaction: Transaction,
    name: ResourceName,
    appId: number,
    rows: readonly unknown[],
  ): Promise<Set<unknown>> {
    const { reference }: Resource = RESOURCES[name];
    const { referencedTable }: ResourceTable<string> = TABLES[name];
    if (!reference) return new Set();
    const sentIds = rows.flatMap((row) => (isRow(row) ? [row[reference.field]] : []));
    const text = `select id from ${referencedTable} where app_id = $1 and id = any($2::bigint[])`;
    const foundRows = await transaction.rows<{ id: number }>(text, [appId, sentIds.filter(Number.isSafeInteger)]);
    return new Set(foundRows.map(({ id }) => id));
  }

  private async write(
    transaction: Transaction,
    name: ResourceName,
    appId: number,
    rows: readonly Row[],
  ): Promise<StoredRow[]> {
    const { columns }: ResourceTable<string> = TABLES[name];
    const text = `
      insert into ${name} (app_id, ${columns.list}, inserted_at, updated_at)
      select $1, ${columns.list}, $3, $3 from json_to_recordset($2) as r (ordinal int, ${columns.typedList}) order by ordinal
      on conflict (app_id, code) do update set ${columns.setFrom('excluded')}, updated_at = excluded.updated_at
      returning *`;
    const json = await runInSlices(jsonSteps([...rows.entries()], ([ordinal, row]) => ({ ordinal, ...row })));
    return transaction.rows(text, [appId, json, this.clock.now()]);
  }
}
