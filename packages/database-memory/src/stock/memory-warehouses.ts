import {
  ALREADY_TAKEN,
  formatDateTime,
  plannedOf,
  rejectionOf,
  refuse,
  type BulkOptions,
  type Clock,
  type ListedPage,
  type Page,
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
  type WarehouseQueries,
  type Warehouses,
  type WrittenWarehouses,
} from '@back-office/stock';
import { audit } from '../apps/audit-entries.js';
import { containsFolded } from '../people-search.js';
import { listedPage, nameKey, type SortKey } from '../sorting.js';
import type { State } from '../state.js';
import type { StoredWarehouse } from './records.js';

const BY_NAME: readonly SortKey<StoredWarehouse>[] = [
  { ...nameKey(({ name }) => [name]), direction: 'asc' },
  { value: ({ id }) => id, direction: 'asc' },
];

export class MemoryWarehouses implements Warehouses, WarehouseQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async add(appId: number, warehouse: NewWarehouse): Promise<Warehouse | Refusal> {
    const { code, sellable } = warehouse;
    return this.state.memory.transaction(() => {
      const isTaken =
        code !== null && this.currentWarehouses(appId).some((otherWarehouse) => otherWarehouse.code === code);
      if (isTaken) return refuse(ALREADY_TAKEN, 'code');
      const now = this.clock.now();
      const row = { code, sellable, ...addressOf(warehouse), ...datesOf(now) };
      const addedWarehouse = toWarehouse(this.state.warehouses.insert(appId, row));
      audit(this.state, appId, now, warehouseEntries([], [addedWarehouse]));
      return addedWarehouse;
    });
  }

  async put(
    appId: number,
    rows: readonly (DesiredWarehouse | string)[],
    { explain, dryRun = false }: BulkOptions = {},
  ): Promise<WrittenWarehouses | RejectedRows> {
    const work = (): WrittenWarehouses | RejectedRows => {
      const existingRecords = { warehouses: this.currentWarehouses(appId), stockedIds: this.idsWithStock(appId) };
      const plan = planWarehouses(rows, existingRecords);
      const rejection = rejectionOf(plan.outcomes);
      if (rejection) return rejection;
      const result = this.write(appId, plannedOf(plan.outcomes), this.clock.now(), dryRun);
      return { ...result, explain: explain ? plan.explain() : undefined };
    };
    return this.state.memory.transaction(work, { dryRun });
  }

  async find(appId: number, id: number): Promise<Warehouse | undefined> {
    const row = this.state.warehouses.get(appId, id);
    return row?.deleted_at === null ? toWarehouse(row) : undefined;
  }

  async list(appId: number, search: string | undefined, page: Page): Promise<ListedPage> {
    const matchingWarehouses = this.currentWarehouses(appId).filter(
      (warehouse) => search === undefined || matchesSearch(warehouse, search),
    );
    return listedPage(matchingWarehouses, BY_NAME, page, presentWarehouse);
  }

  private currentWarehouses(appId: number): StoredWarehouse[] {
    return this.state.warehouses.all(appId).filter((warehouse) => warehouse.deleted_at === null);
  }

  private idsWithStock(appId: number): Set<number> {
    const stockedRows = this.state.stocks.all(appId).filter((row) => row.on_hand > 0 || row.reserved > 0);
    return new Set(stockedRows.map((row) => row.warehouse_id));
  }

  private write(
    appId: number,
    drafts: readonly WarehouseDraft[],
    now: Date,
    dryRun: boolean,
  ): Omit<WrittenWarehouses, 'explain'> {
    const distinctDrafts = [...new Set(drafts)];
    const deletedIds = distinctDrafts.flatMap((draft) => (draft.deleted && draft.id !== null ? [draft.id] : []));
    audit(this.state, appId, now, deletionEntries(distinctDrafts));
    const before = this.currentWarehouses(appId).map(toWarehouse);
    for (const id of deletedIds) this.change(appId, id, { deleted_at: now });
    const keptDrafts = distinctDrafts.filter((draft) => !draft.deleted);
    const rowOf = new Map(keptDrafts.map((draft) => [draft, toWarehouse(this.writeOne(appId, draft, now))]));
    audit(this.state, appId, now, warehouseEntries(before, [...rowOf.values()]));
    if (!dryRun) for (const [draft, { id }] of rowOf) draft.id = id;
    const warehouses = drafts.flatMap((draft) => {
      const row = rowOf.get(draft);
      return row === undefined ? [] : { ...row, id: draft.id };
    });
    return { warehouses, deleted: deletedIds };
  }

  private writeOne(
    appId: number,
    { id, code, desiredWarehouse, sellable }: WarehouseDraft,
    now: Date,
  ): StoredWarehouse {
    const fields = { ...addressOf(desiredWarehouse), sellable };
    if (id !== null) return this.change(appId, id, { ...fields, updated_at: now });
    return this.state.warehouses.insert(appId, { code, ...fields, ...datesOf(now) });
  }

  private change(appId: number, id: number, change: Partial<StoredWarehouse>): StoredWarehouse {
    const changedWarehouse = { ...(this.state.warehouses.get(appId, id) as StoredWarehouse), ...change };
    this.state.warehouses.put(appId, changedWarehouse);
    return changedWarehouse;
  }
}

function addressOf({ name, address_line_1, city, postcode, market_id }: NewWarehouse | DesiredWarehouse) {
  return { name, address_line_1, city, postcode, market_id };
}

function datesOf(now: Date) {
  return { deleted_at: null, inserted_at: now, updated_at: now };
}

function toWarehouse(row: StoredWarehouse): Warehouse {
  const { id, code, sellable, inserted_at, updated_at } = row;
  return { id, code, ...addressOf(row), sellable, inserted_at, updated_at };
}

function matchesSearch({ name, code, address_line_1, city, postcode }: StoredWarehouse, query: string): boolean {
  const texts = [name, code ?? '', address_line_1, city, postcode];
  return texts.some((text) => containsFolded(text, query));
}

function presentWarehouse(row: StoredWarehouse): object {
  return {
    ...toWarehouse(row),
    inserted_at: formatDateTime(row.inserted_at),
    updated_at: formatDateTime(row.updated_at),
  };
}
