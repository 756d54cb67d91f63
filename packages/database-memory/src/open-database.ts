import type { Calls, Database, DatabaseOptions, OpenedDatabase } from '@back-office/database';
import { NO_APP_ID } from './apps/memory-apps.js';
import { runAs } from './apps/audit-entries.js';
import { MemoryAttributes } from './catalogue/memory-attributes.js';
import { MemoryProductQueries } from './catalogue/memory-product-queries.js';
import { MemoryProducts } from './catalogue/memory-products.js';
import { runIf } from './conditional-write.js';
import { eventPorts } from './events/event-ports.js';
import { MemoryBacklog } from './memory-backlog.js';
import { MemoryKeyedWrite } from './keyed-write.js';
import { mediaPortsOf } from './media/media-ports.js';
import { MemoryJobQueue } from './media/memory-job-queue.js';
import { peoplePorts } from './people-ports.js';
import { salesPorts } from './sales-ports.js';
import { State } from './state.js';
import { MemoryStock } from './stock/memory-stock.js';
import { MemoryStockQueries } from './stock/memory-stock-queries.js';
import { MemoryWarehouses } from './stock/memory-warehouses.js';

type Options = Pick<DatabaseOptions, 'clock' | 'publicBase' | 'isPublished'>;

/** The data is lost when the process ends. */
export async function openDatabase(options: Options): Promise<OpenedDatabase> {
  return {
    database: portsOf(new State(), options),
    notice: 'The database is in memory: everything is gone when this process ends.',
    isVolatile: true,
    close: async () => {},
  };
}

export function portsOf(state: State, options: Options): Database {
  const { publicBase, isPublished } = options;
  const clock = state.memory.clockOf(options.clock);
  const warehouses = new MemoryWarehouses(state, clock);
  const attributes = new MemoryAttributes(state, clock);
  const currencyOf = (appId: number): string | undefined => state.apps.get(NO_APP_ID, appId)?.currency;
  const library = {
    get base() {
      return publicBase();
    },
    get isPublished() {
      return isPublished();
    },
  };
  return {
    calls: memoryCalls(state),
    health: HEALTH,
    backlog: new MemoryBacklog(state),
    jobQueue: () => new MemoryJobQueue(state, clock),
    ...eventPorts(state, clock),
    ...peoplePorts(state, { ...options, clock }),
    products: new MemoryProducts(state, clock, { publicBase, currencyOf }),
    productQueries: new MemoryProductQueries(state),
    attributes,
    attributeQueries: attributes,
    stock: new MemoryStock(state, clock),
    stockQueries: new MemoryStockQueries(state),
    warehouses,
    warehouseQueries: warehouses,
    ...salesPorts(state, clock),
    ...mediaPortsOf(state, clock, library),
  };
}

/** The outcome of a call is always known, because transactions are synchronous. */
export function memoryCalls({ memory }: State): Calls {
  return {
    runAs,
    runFor: (_party, work) => work(),
    track: (work) => work(),
    runIf: (condition, work) => runIf(memory, condition, work),
    isResumed: () => MemoryKeyedWrite.isResumed(),
    assertOutsideTransaction: () => {},
  };
}

const HEALTH: Database['health'] = {
  ping: async () => {},
  connections: () => ({ open: 0, idle: 0, waiting: 0 }),
  waiting: () => ({ app: 0, token: 0, file: 0, health: 0 }),
};
