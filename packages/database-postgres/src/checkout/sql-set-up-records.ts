import {
  planSetUp,
  RESOURCES,
  type Resource,
  type ResourceName,
  type Row,
  type SetUpApp,
  type SetUpOutcome,
  type SetUpQueries,
  type SetUpRecords,
  type StoredRow,
} from '@back-office/checkout';
import { isRow, isStorable, plannedOf, rejectionOf, type Clock, type Page } from '@back-office/kernel';
import { checkStoredCurrency } from '../apps/app-currency.js';
import { beginLockedBulk } from '../bulk.js';
import type { Lockable, Transaction } from '../client-transaction.js';
import type { Postgres } from '../postgres.js';
import type { NamedColumns } from '../tables/column-list.js';
import { PAYMENT_METHODS, PROMOTIONS, SHIPMENT_METHODS, VOUCHERS } from '../tables/set-up.js';

type FieldOf<Name extends ResourceName> = keyof (typeof RESOURCES)[Name]['fields'] & string;

interface SetUpTable<Field extends string> {
  readonly columns: NamedColumns<Field> & { readonly columns: Readonly<Record<Field, unknown>> };
  /** Set only when other calls lock rows of the table too. */
  readonly lockKind?: Lockable;
  readonly referencedTable?: string;
}

const TABLES: { readonly [Name in ResourceName]: SetUpTable<FieldOf<Name>> } = {
  payment_methods: { columns: PAYMENT_METHODS.columns.except('app_id', 'id', 'inserted_at', 'updated_at') },
  promotions: { columns: PROMOTIONS.columns.except('app_id', 'id', 'inserted_at', 'updated_at') },
  shipment_methods: { columns: SHIPMENT_METHODS.columns.except('app_id', 'id', 'inserted_at', 'updated_at') },
  vouchers: {
    columns: VOUCHERS.columns.except('app_id', 'id', 'spent', 'held_by', 'inserted_at', 'updated_at'),
    lockKind: 'voucher',
    referencedTable: 'customers',
  },
};

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
      if (error instanceof LimitExceeded) return { failures: [error.key] };
      throw error;
    }
  }

  private putAll(name: ResourceName, app: SetUpApp, rows: readonly unknown[]): Promise<SetUpOutcome> {
    return this.database.transaction(async (transaction) => {
      await beginLockedBulk(transaction, 'set_up', app.id, rows.length);
      await checkStoredCurrency(transaction, app);
      const lockedRecords = await this.lock(transaction, name, app.id, rows);
      const referencedIds = await this.findReferencedIds(transaction, name, app.id, rows);
      const { outcomes } = planSetUp(RESOURCES[name], rows, {
        app,
        records: lockedRecords,
        referencedIds,
      });
      const rejection = rejectionOf(outcomes);
      if (rejection) return rejection;
      const plannedRows = plannedOf(outcomes);
      const drafts = [...new Map(plannedRows.map((row) => [row.code, row])).values()];
      const storedRows = new Map((await this.write(transaction, name, app.id, drafts)).map((row) => [row.code, row]));
      await this.assertWithinLimit(transaction, name, app.id);
      return { rows: plannedRows.map(({ code }) => storedRows.get(code) as StoredRow) };
    });
  }

  private async assertWithinLimit(transaction: Transaction, name: ResourceName, appId: number): Promise<void> {
    const { limit }: Resource = RESOURCES[name];
    if (!limit) return;
    const conditions = Object.entries(limit.where).map(([column, value]) => `${column} is ${String(value)}`);
    const text = `
      select count(*) as count from ${name}
      where app_id = $1 and ${conditions.join(' and ')} and (${limit.endColumn} is null or ${limit.endColumn} > $2)`;
    const [row] = await transaction.rows<{ count: number }>(text, [appId, this.clock.now()]);
    if ((row?.count ?? 0) > limit.count) throw new LimitExceeded(limit.failure);
  }

  list(name: ResourceName, appId: number, { offset, limit }: Page): Promise<StoredRow[]> {
    const text = `select * from ${name} where app_id = $1 order by id offset $2 limit $3`;
    return this.database.rows(text, [appId, offset, limit]);
  }

  private lock(
    transaction: Transaction,
    name: ResourceName,
    appId: number,
    rows: readonly unknown[],
  ): Promise<StoredRow[]> {
    const { lockKind }: SetUpTable<string> = TABLES[name];
    if (lockKind) transaction.locks(lockKind);
    const codes = rows.flatMap((row) => (isRow(row) && typeof row['code'] === 'string' ? [row['code']] : []));
    const text = `select * from ${name} where app_id = $1 and code = any($2::text[]) order by id for update`;
    return transaction.rows(text, [appId, codes.filter(isStorable)]);
  }

  private async findReferencedIds(
    transaction: Transaction,
    name: ResourceName,
    appId: number,
    rows: readonly unknown[],
  ): Promise<Set<unknown>> {
    const { reference }: Resource = RESOURCES[name];
    const { referencedTable }: SetUpTable<string> = TABLES[name];
    if (!reference) return new Set();
    const sentIds = rows.flatMap((row) => (isRow(row) ? [row[reference.field]] : []));
    const text = `select id from ${referencedTable} where app_id = $1 and id = any($2::bigint[])`;
    const foundRows = await transaction.rows<{ id: number }>(text, [appId, sentIds.filter(Number.isSafeInteger)]);
    return new Set(foundRows.map(({ id }) => id));
  }

  private write(
    transaction: Transaction,
    name: ResourceName,
    appId: number,
    rows: readonly Row[],
  ): Promise<StoredRow[]> {
    const { columns }: SetUpTable<string> = TABLES[name];
    const text = `
      insert into ${name} (app_id, ${columns.list}, inserted_at, updated_at)
      select $1, ${columns.list}, $3, $3 from json_to_recordset($2) as r (ordinal int, ${columns.typedList}) order by ordinal
      on conflict (app_id, code) do update set ${columns.setFrom('excluded')}, updated_at = excluded.updated_at
      returning *`;
    const values = rows.map((row, ordinal) => ({ ...row, ordinal }));
    return transaction.rows(text, [appId, JSON.stringify(values), this.clock.now()]);
  }
}
