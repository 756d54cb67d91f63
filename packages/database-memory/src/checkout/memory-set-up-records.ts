import {
  planSetUp,
  RESOURCES,
  setUpEntries,
  type RecordLimit,
  type Resource,
  type ResourceName,
  type SetUpApp,
  type SetUpOutcome,
  type SetUpQueries,
  type SetUpRecords,
  type StoredRow,
} from '@back-office/checkout';
import { plannedOf, rejectionOf, type Clock, type Page } from '@back-office/kernel';
import { checkCurrency } from '../apps/app-currency.js';
import { audit } from '../apps/audit-entries.js';
import { listPage, type SortKey } from '../sorting.js';
import type { Table } from '../memory.js';
import type { State } from '../state.js';
import type { SetUpRow } from './records.js';

/** Initial values of columns that clients never send. */
const INITIAL_VALUES: { readonly [Name in ResourceName]?: object } = { vouchers: { spent: 0, held_by: null } };

const BY_ID: readonly SortKey<SetUpRow>[] = [{ value: ({ id }) => id, direction: 'asc' }];

export class MemorySetUpRecords implements SetUpRecords, SetUpQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async put(name: ResourceName, app: SetUpApp, rows: readonly unknown[]): Promise<SetUpOutcome> {
    return this.state.memory.transaction(() => {
      checkCurrency(this.state, app.id, app.currency);
      const referencedIds = new Set(this.state.customers.all(app.id).map(({ id }) => id));
      const plan = planSetUp(RESOURCES[name], rows, {
        app,
        records: this.table(name).all(app.id),
        referencedIds,
      });
      const rejection = rejectionOf(plan.outcomes);
      if (rejection) return rejection;
      const limitError = findBrokenLimit(RESOURCES[name], plan.records, this.clock.now());
      if (limitError !== undefined) return { failures: [{ key: limitError }] };
      const plannedRows = plannedOf(plan.outcomes);
      const drafts = new Map(plannedRows.map((row) => [row.code, row]));
      const entries = setUpEntries(name, this.table(name).all(app.id), [...drafts.values()]);
      audit(this.state, app.id, this.clock.now(), entries);
      const writtenRows = new Map([...drafts.values()].map((row) => [row.code, this.write(name, app.id, row)]));
      return { rows: plannedRows.map(({ code }) => writtenRows.get(code) as StoredRow) };
    });
  }

  async findAll(name: ResourceName, appId: number, ids: readonly number[]): Promise<StoredRow[]> {
    return ids.flatMap((id) => this.table(name).get(appId, id) ?? []);
  }

  async list(name: ResourceName, appId: number, page: Page): Promise<StoredRow[]> {
    return [...listPage(this.table(name).all(appId), BY_ID, page).rows];
  }

  private write(name: ResourceName, appId: number, row: StoredRow): StoredRow {
    const now = this.clock.now();
    const table = this.table(name);
    if (!isStored(row))
      return table.insert(appId, { ...INITIAL_VALUES[name], ...row, inserted_at: now, updated_at: now });
    const changedRow = { ...row, updated_at: now };
    table.put(appId, changedRow);
    return changedRow;
  }

  private table(name: ResourceName): Table<SetUpRow> {
    const { paymentMethods, promotions, shipmentMethods, vouchers } = this.state;
    const tables: Readonly<Record<ResourceName, unknown>> = {
      payment_methods: paymentMethods,
      promotions,
      shipment_methods: shipmentMethods,
      vouchers,
    };
    return tables[name] as Table<SetUpRow>;
  }
}

function findBrokenLimit({ limits = [] }: Resource, rows: readonly StoredRow[], now: Date): string | undefined {
  return limits.find((limit) => countLargestGroup(limit, rows, now) > limit.count)?.failure;
}

function countLargestGroup(
  { where, groupColumn, endColumn }: RecordLimit,
  rows: readonly StoredRow[],
  now: Date,
): number {
  const counts = new Map<unknown, number>();
  for (const row of rows) {
    const end = row[endColumn];
    const hasEnded = end instanceof Date && end <= now;
    const group = groupColumn === undefined ? '' : row[groupColumn];
    if (hasEnded || group === null) continue;
    if (Object.entries(where).every(([field, value]) => row[field] === value))
      counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return [...counts.values()].reduce((largest, count) => Math.max(largest, count), 0);
}

function isStored(row: StoredRow): row is SetUpRow {
  return 'id' in row;
}
