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
import { checkCurrencyOf } from '../apps/app-currency.js';
import { beginLockedBulk } from '../bulk.js';
import type { Lockable, Transaction } from '../client-transaction.js';
import type { Postgres } from '../postgres.js';
import type { NamedColumns } from '../tables/column-list.js';
import { PAYMENT_METHODS, PROMOTIONS, SHIPMENT_METHODS, VOUCHERS } from '../tables/set-up.js';

type FieldsOf<Name extends ResourceName> = keyof (typeof RESOURCES)[Name]['fields'] & string;

interface SetUpTable<Field extends string> {
  readonly columns: NamedColumns<Field> & { readonly columns: Readonly<Record<Field, unknown>> };
  /** Lock kind, where other calls lock rows of the table too. */
  readonly lockedAs?: Lockable;
  /** The table that the resource's reference field points at. */
  readonly references?: string;
}

/** By name of table and resource. */
const TABLES: { readonly [Name in ResourceName]: SetUpTable<FieldsOf<Name>> } = {
  payment_methods: { columns: PAYMENT_METHODS.columns.except('app_id', 'id', 'inserted_at', 'updated_at') },
  promotions: { columns: PROMOTIONS.columns.except('app_id', 'id', 'inserted_at', 'updated_at') },
  shipment_methods: { columns: SHIPMENT_METHODS.columns.except('app_id', 'id', 'inserted_at', 'updated_at') },
  vouchers: {
    columns: VOUCHERS.columns.except('app_id', 'id', 'spent', 'held_by', 'inserted_at', 'updated_at'),
    lockedAs: 'voucher',
    references: 'customers',
  },
};

/** Rolls a write back that exceeds the limit of records. */
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

  /** Upserts by code, all or nothing. A later row with the same code changes the earlier one. */
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
      await checkCurrencyOf(transaction, app);
      const found = await this.lock(transaction, name, app.id, rows);
      const referenced = await this.referenced(transaction, name, app.id, rows);
      const { outcomes } = planSetUp(RESOURCES[name], rows, { app, records: found, referenced });
      const rejected = rejectionOf(outcomes);
      if (rejected) return rejected;
      const planned = plannedOf(outcomes);
      const drafts = [...new Map(planned.map((row) => [row.code, row])).values()];
      const written = new Map((await this.write(transaction, name, app.id, drafts)).map((row) => [row.code, row]));
      await this.assertWithinLimit(transaction, name, app.id);
      return { rows: planned.map(({ code }) => written.get(code) as StoredRow) };
    });
  }

  private async assertWithinLimit(transaction: Transaction, name: ResourceName, appId: number): Promise<void> {
    const { limit }: Resource = RESOURCES[name];
    if (!limit) return;
    const values = Object.entries(limit.where).map(([column, value]) => `${column} is ${String(value)}`);
    const text = `
      select count(*) as count from ${name}
      where app_id = $1 and ${values.join(' and ')} and (${limit.endColumn} is null or ${limit.endColumn} > $2)`;
    const [found] = await transaction.rows<{ count: number }>(text, [appId, this.clock.now()]);
    if ((found?.count ?? 0) > limit.count) throw new LimitExceeded(limit.failure);
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
    const { lockedAs }: SetUpTable<string> = TABLES[name];
    if (lockedAs) transaction.locks(lockedAs);
    const codes = rows.flatMap((row) => (isRow(row) && typeof row['code'] === 'string' ? [row['code']] : []));
    const text = `select * from ${name} where app_id = $1 and code = any($2::text[]) order by id for update`;
    return transaction.rows(text, [appId, codes.filter(isStorable)]);
  }

  private async referenced(
    transaction: Transaction,
    name: ResourceName,
    appId: number,
    rows: readonly unknown[],
  ): Promise<Set<unknown>> {
    const { reference }: Resource = RESOURCES[name];
    const { references }: SetUpTable<string> = TABLES[name];
    if (!reference) return new Set();
    const named = rows.flatMap((row) => (isRow(row) ? [row[reference.field]] : []));
    const text = `select id from ${references} where app_id = $1 and id = any($2::bigint[])`;
    const found = await transaction.rows<{ id: number }>(text, [appId, named.filter(Number.isSafeInteger)]);
    return new Set(found.map(({ id }) => id));
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
      select $1, ${columns.list}, $3, $3 from json_to_recordset($2) as r (ordinal int, ${columns.typed}) order by ordinal
      on conflict (app_id, code) do update set ${columns.setFrom('excluded')}, updated_at = excluded.updated_at
      returning *`;
    const values = rows.map((row, ordinal) => ({ ...row, ordinal }));
    return transaction.rows(text, [appId, JSON.stringify(values), this.clock.now()]);
  }
}
