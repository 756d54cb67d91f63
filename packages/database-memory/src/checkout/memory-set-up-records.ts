import {
  planSetUp,
  RESOURCES,
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
import { pageOf } from '../lists.js';
import type { Table } from '../memory.js';
import type { State } from '../state.js';
import type { SetUpRow } from './records.js';

/** Clients do not send these columns. */
const INITIAL_VALUES: { readonly [Name in ResourceName]?: object } = { vouchers: { spent: 0, held_by: null } };

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
      const limitError = limitFailure(RESOURCES[name], plan.records, this.clock.now());
      if (limitError !== undefined) return { failures: [limitError] };
      const plannedRows = plannedOf(plan.outcomes);
      const drafts = new Map(plannedRows.map((row) => [row.code, row]));
      const writtenRows = new Map([...drafts.values()].map((row) => [row.code, this.write(name, app.id, row)]));
      return { rows: plannedRows.map(({ code }) => writtenRows.get(code) as StoredRow) };
    });
  }

  async list(name: ResourceName, appId: number, page: Page): Promise<StoredRow[]> {
    return pageOf(this.table(name).all(appId), page);
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

function limitFailure({ limit }: Resource, rows: readonly StoredRow[], now: Date): string | undefined {
  if (limit === undefined) return undefined;
  const countedRows = rows.filter((row) => {
    const end = row[limit.endColumn];
    const hasEnded = end instanceof Date && end <= now;
    return !hasEnded && Object.entries(limit.where).every(([field, value]) => row[field] === value);
  });
  return countedRows.length > limit.count ? limit.failure : undefined;
}

function isStored(row: StoredRow): row is SetUpRow {
  return 'id' in row;
}
