import { salesFixtureOf } from '@back-office/database/testing';
import { ManualClock } from '@back-office/kernel/testing';
import {
  INSTALLATION,
  mediaPortsOf,
  MemoryProductQueries,
  MemoryProducts,
  MemoryStock,
  MemoryStockQueries,
  MemoryWarehouses,
  peoplePorts,
  salesPorts,
  State,
} from '../src/index.js';

const currencyOf = ({ apps }: State, appId: number): string | undefined => apps.get(INSTALLATION, appId)?.currency;
const publicBase = (): string => 'https://media.example';

export async function openSalesFixture() {
  const clock = new ManualClock();
  const state = new State();
  const ports = {
    ...peoplePorts(state, { clock, publicBase }),
    ...salesPorts(state, clock),
    ...mediaPortsOf(state, clock, { base: publicBase(), isPublished: false }),
    productQueries: new MemoryProductQueries(state),
    products: new MemoryProducts(state, clock, { publicBase, currencyOf: (appId) => currencyOf(state, appId) }),
    stock: new MemoryStock(state, clock),
    stockQueries: new MemoryStockQueries(state),
    warehouses: new MemoryWarehouses(state, clock),
  };
  return salesFixtureOf(ports, clock);
}
