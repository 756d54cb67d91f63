import { isSound, type Clock, type Page } from '@back-office/kernel';
import { checkCurrencyOf } from '../apps/index.js';
import { waitForBulkTurn } from '../database/bulk.js';
import type { Database, Transaction } from '../database/database.js';
import type { AppContext } from '../http/app-context.js';
import { isRow } from '../http/row-check.js';
import type { Row } from './fields.js';
import { readRow, type Resource, type StoredRow } from './resource.js';

type Written = { readonly rows: readonly StoredRow[] } | { readonly failures: readonly string[] };

/** Undoes a write after which there would be more records than are allowed. */
class TooMany extends Error {
  constructor(readonly key: string) {
    super(key);
  }
}

/** The records of one kind of resource. */
export class TypeOrmSetUp {
  constructor(
    private readonly resource: Resource,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Upserts by code, all or nothing; of two rows with one code the later one is read on top of the earlier one. */
  async put(app: Pick<AppContext, 'id' | 'currency' | 'decimals'>, rows: readonly unknown[]): Promise<Written> {
    try {
      return await this.putAll(app, rows);
    } catch (error) {
      if (error instanceof TooMany) return { failures: [error.key] };
      throw error;
    }
  }

  private putAll(app: Pick<AppContext, 'id' | 'currency' | 'decimals'>, rows: readonly unknown[]): Promise<Written> {
    return this.database.transaction(async (transaction) => {
      await waitForBulkTurn(transaction, 'set_up', app.id, rows.length);
      await checkCurrencyOf(transaction, app);
      const found = await this.lock(transaction, app.id, rows);
      const next = new Map(found.map((row) => [row.code, row]));
      const referenced = await this.referenced(transaction, app.id, rows);
      const codes: string[] = [];
      const failures: string[] = [];
      for (const sent of rows) {
        const read = readRow(this.resource, sent, { app, next, referenced });
        if (typeof read === 'string') failures.push(read);
        else {
          next.set(read.code, read);
          codes.push(read.code);
        }
      }
      if (failures.length > 0) return { failures };
      const distinct = [...new Set(codes)].map((code) => next.get(code) as Row);
      const written = new Map((await this.write(transaction, app.id, distinct)).map((row) => [row.code, row]));
      await this.assertNotTooMany(transaction, app.id);
      return { rows: codes.map((code) => written.get(code) as StoredRow) };
    });
  }

  private async assertNotTooMany(transaction: Transaction, appId: number): Promise<void> {
    const { name, most } = this.resource;
    if (!most) return;
    const values = Object.entries(most.among).map(([column, value]) => `${column} is ${String(value)}`);
    const text = `
      select count(*) as count from ${name}
      where app_id = $1 and ${values.join(' and ')} and (${most.ends} is null or ${most.ends} > $2)`;
    const [found] = await transaction.rows<{ count: number }>(text, [appId, this.clock.now()]);
    if ((found?.count ?? 0) > most.count) throw new TooMany(most.failure);
  }

  list(appId: number, { offset, limit }: Page): Promise<StoredRow[]> {
    const text = `select * from ${this.resource.name} where app_id = $1 order by id offset $2 limit $3`;
    return this.database.rows(text, [appId, offset, limit]);
  }

  private lock(transaction: Transaction, appId: number, rows: readonly unknown[]): Promise<StoredRow[]> {
    const { name, lockedAs } = this.resource;
    if (lockedAs) transaction.locks(lockedAs);
    const codes = rows.flatMap((row) => (isRow(row) && typeof row['code'] === 'string' ? [row['code']] : []));
    const text = `select * from ${name} where app_id = $1 and code = any($2::text[]) order by id for update`;
    return transaction.rows(text, [appId, codes.filter(isSound)]);
  }

  private async referenced(transaction: Transaction, appId: number, rows: readonly unknown[]): Promise<Set<unknown>> {
    const { reference } = this.resource;
    if (!reference) return new Set();
    const named = rows.flatMap((row) => (isRow(row) ? [row[reference.field]] : []));
    const text = `select id from ${reference.table} where app_id = $1 and id = any($2::bigint[])`;
    const found = await transaction.rows<{ id: number }>(text, [appId, named.filter(Number.isSafeInteger)]);
    return new Set(found.map(({ id }) => id));
  }

  private write(transaction: Transaction, appId: number, rows: readonly Row[]): Promise<StoredRow[]> {
    const { name, fields } = this.resource;
    const columns = Object.entries(fields);
    const names = columns.map(([column]) => column).join(', ');
    const types = columns.map(([column, { sql }]) => `${column} ${sql}`).join(', ');
    const set = columns.map(([column]) => `${column} = excluded.${column}`).join(', ');
    const text = `
      insert into ${name} (app_id, ${names}, inserted_at, updated_at)
      select $1, ${names}, $3, $3 from json_to_recordset($2) as r (place int, ${types}) order by place
      on conflict (app_id, code) do update set ${set}, updated_at = excluded.updated_at
      returning *`;
    const values = rows.map((row, place) => ({ ...row, place }));
    return transaction.rows(text, [appId, JSON.stringify(values), this.clock.now()]);
  }
}
