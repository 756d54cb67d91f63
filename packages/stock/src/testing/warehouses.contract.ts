import type { Page } from '@back-office/kernel';
import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { DesiredWarehouse, Warehouse, WrittenWarehouses } from '../index.js';
import { addressOf, type StockFixture } from './given-stock.js';

const PAGE: Page = { offset: 0, limit: 100 };

const warehouse = (code: string | null, overrides: Partial<DesiredWarehouse> = {}): DesiredWarehouse => ({
  ...addressOf(`name of ${code}`),
  code,
  ...overrides,
});

class WarehouseShop {
  constructor(
    readonly fixture: StockFixture,
    readonly id: number,
  ) {}

  add(code: string | null, overrides: Partial<Warehouse> = {}) {
    return this.fixture.warehouses.add(this.id, {
      ...addressOf(`name of ${code}`),
      code,
      sellable: true,
      ...overrides,
    });
  }

  async putAll(...rows: readonly DesiredWarehouse[]): Promise<WrittenWarehouses> {
    const result = await this.fixture.warehouses.put(this.id, rows);
    expect(result).not.toHaveProperty('failures');
    return result as WrittenWarehouses;
  }

  async failureKeys(...rows: readonly (DesiredWarehouse | string)[]): Promise<readonly string[]> {
    const result = await this.fixture.warehouses.put(this.id, rows);
    expect(result).toHaveProperty('failures');
    return 'failures' in result ? result.failures.map(({ key }) => key.replace('API.Warehouses.', '')) : [];
  }

  find(id: number): Promise<Warehouse | undefined> {
    return this.fixture.warehouseQueries.find(this.id, id);
  }

  async list(search?: string, page = PAGE): Promise<Warehouse[]> {
    const { json } = await this.fixture.warehouseQueries.list(this.id, search, page);
    return JSON.parse(json) as Warehouse[];
  }

  async listCodes(...listArguments: Parameters<WarehouseShop['list']>): Promise<(string | null)[]> {
    return (await this.list(...listArguments)).map(({ code }) => code);
  }
}

type OpenShop = () => Promise<WarehouseShop>;

export function warehousesContract(runner: Runner, open: () => Promise<StockFixture>): void {
  let fixture: StockFixture;
  runner.before(async () => {
    fixture = await open();
  });
  runner.after(() => fixture.close());
  const openShop = async () => new WarehouseShop(fixture, await fixture.makeApp());

  runner.describe('an added warehouse', () => describeAdditions(runner, openShop));
  runner.describe('upserted warehouses', () => {
    describePuts(runner, openShop);
    describeDeletions(runner, openShop);
    describeBulkWrites(runner, openShop);
  });
  runner.describe('the list of warehouses', () => describeLists(runner, openShop));
}

function describeAdditions({ it }: Runner, open: OpenShop): void {
  it('is returned with its id and dates', async () => {
    const shop = await open();
    const now = shop.fixture.now();
    expect(await shop.add('A', { sellable: false })).toEqual({
      ...addressOf('name of A'),
      id: expect.any(Number),
      code: 'A',
      sellable: false,
      inserted_at: now,
      updated_at: now,
    });
  });

  it('has a code that no other warehouse of its app can have until it is deleted', async () => {
    const [shop, otherShop] = [await open(), await open()];
    await shop.add('A');
    expect(await shop.add('A')).toEqual({ refused: 'has already been taken', field: 'code' });
    for (const code of ['a', ' A', null, null]) expect(await shop.add(code)).toMatchObject({ code });
    expect(await otherShop.add('A')).toMatchObject({ code: 'A' });
    await shop.putAll({ ...warehouse('A'), delete: true });
    expect(await shop.add('A')).toMatchObject({ code: 'A' });
  });

  it('is found by its id, only by its app and until it is deleted', async () => {
    const [shop, otherShop] = [await open(), await open()];
    const added = (await shop.add('A', { sellable: false })) as Warehouse;
    expect(await shop.find(added.id)).toEqual(added);
    expect(await otherShop.find(added.id)).toBeUndefined();
    expect(await shop.find(2 ** 40)).toBeUndefined();
    await shop.putAll({ ...warehouse('A'), delete: true });
    expect(await shop.find(added.id)).toBeUndefined();
  });

  it('is added once by concurrent calls', async () => {
    const shop = await open();
    const results = await Promise.all(Array.from({ length: 8 }, () => shop.add('A')));
    expect(results.filter((result) => 'id' in result)).toHaveLength(1);
    expect(await shop.listCodes()).toEqual(['A']);
  });
}

function describePuts({ it }: Runner, open: OpenShop): void {
  it('are created and changed by code and id, in input order', async () => {
    const shop = await open();
    const a = (await shop.add('A', { sellable: false })) as Warehouse;
    shop.fixture.forward(60);
    const { warehouses, deleted } = await shop.putAll(
      warehouse('Z'),
      warehouse(null, { id: a.id, name: 'changed' }),
      warehouse('M', { sellable: false }),
      warehouse(null),
    );
    expect(deleted).toEqual([]);
    expect(warehouses).toMatchObject([
      { code: 'Z', sellable: true },
      { id: a.id, code: 'A', name: 'changed', sellable: false, inserted_at: a.inserted_at },
      { code: 'M', sellable: false },
      { code: null },
    ]);
    expect(warehouses.map((changedWarehouse) => changedWarehouse.updated_at)).toEqual(
      Array.from({ length: 4 }, () => shop.fixture.now()),
    );
    const ids = warehouses.map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });

  it('get the values of the last row that matches them', async () => {
    const shop = await open();
    const { warehouses } = await shop.putAll(warehouse('A', { name: 'first' }), warehouse('A', { name: 'last' }));
    expect(warehouses.map(({ name }) => name)).toEqual(['last', 'last']);
    expect(warehouses[0]?.id).toBe(warehouses[1]?.id);
    expect(await shop.listCodes()).toEqual(['A']);
  });

  it('are all written or none, and the message keys of invalid rows are returned', async () => {
    const shop = await open();
    const [a, b] = [(await shop.add('A')) as Warehouse, (await shop.add('B')) as Warehouse];
    const before = await shop.list();
    const failures = await shop.failureKeys(
      warehouse('new'),
      'API.Warehouses.NameCantBeBlank',
      warehouse('A', { id: b.id }),
      warehouse('new', { id: a.id }),
      warehouse('none', { delete: true }),
      warehouse(null, { id: 0, delete: true }),
    );
    expect(failures).toEqual(['NameCantBeBlank', 'CodeAndIdMismatch', 'CodeAndIdMismatch', 'NotFound', 'NotFound']);
    expect(await shop.list()).toEqual(before);
  });

  it('are not found when another app has them', async () => {
    const [shop, otherShop] = [await open(), await open()];
    const foreignWarehouse = (await otherShop.add('A')) as Warehouse;
    expect(await shop.failureKeys(warehouse(null, { id: foreignWarehouse.id, delete: true }))).toEqual(['NotFound']);
    const { warehouses } = await shop.putAll(warehouse(null, { id: foreignWarehouse.id }));
    expect(warehouses[0]?.id).not.toBe(foreignWarehouse.id);
  });
}

function describeDeletions({ it }: Runner, open: OpenShop): void {
  it('are deleted by code and id, and can be created again in the same call', async () => {
    const shop = await open();
    const [a, b] = [(await shop.add('A')) as Warehouse, (await shop.add('B')) as Warehouse];
    const { warehouses, deleted } = await shop.putAll(
      warehouse('A', { delete: true }),
      warehouse('A', { name: 'new' }),
      warehouse(null, { id: b.id, delete: true }),
      warehouse('C'),
      warehouse('C', { delete: true }),
    );
    expect([deleted, warehouses.map(({ name }) => name)]).toEqual([[a.id, b.id], ['new']]);
    expect(warehouses[0]?.id).not.toBe(a.id);
    expect(await shop.listCodes()).toEqual(['A']);
  });

  it('cannot be deleted while they have stock', async () => {
    const shop = await open();
    await shop.add('A');
    await shop.fixture.addProduct(shop.id, 'P', [{ code: 'P' }]);
    const add = (qty: number) => shop.fixture.stock.add(shop.id, [{ code: 'P', warehouse_code: 'A', qty }]);
    await add(1);
    expect(await shop.failureKeys(warehouse('A', { delete: true }))).toEqual(['HasStock']);
    await add(-1);
    expect((await shop.putAll(warehouse('A', { delete: true }))).deleted).toHaveLength(1);
    expect(await shop.failureKeys(warehouse('A', { delete: true }))).toEqual(['NotFound']);
  });
}

function describeBulkWrites({ it }: Runner, open: OpenShop): void {
  it('are returned but not written in a dry run', async () => {
    const shop = await open();
    const a = (await shop.add('A')) as Warehouse;
    const rows = [warehouse('A', { delete: true }), warehouse('B'), warehouse('B', { name: 'last' })];
    const result = await shop.fixture.warehouses.put(shop.id, rows, { dryRun: true, explain: true });
    expect(result).toMatchObject({
      warehouses: [
        { id: null, code: 'B', name: 'last' },
        { id: null, code: 'B', name: 'last' },
      ],
      deleted: [a.id],
      explain: [
        [{ identifier: 'code', id: a.id }],
        [{ identifier: null, id: null }],
        [{ identifier: 'code', id: null }],
      ],
    });
    expect(await shop.listCodes()).toEqual(['A']);
  });

  it('are created only once by concurrent calls', async () => {
    const shop = await open();
    const calls = await Promise.all(
      Array.from({ length: 8 }, (_, call) =>
        call % 2 === 0 ? shop.putAll(warehouse('A'), warehouse('B')) : shop.add('B'),
      ),
    );
    expect(calls).toHaveLength(8);
    expect(await shop.listCodes()).toEqual(['A', 'B']);
  });
}

function describeLists({ it }: Runner, open: OpenShop): void {
  it('is sorted by folded name, in the format of the API', async () => {
    const shop = await open();
    for (const name of ['č', 'b', 'a', 'D', '😀', '％', 'a']) await shop.add(null, { name });
    const names = (await shop.list()).map(({ name }) => name);
    expect(names).toEqual(['a', 'a', 'b', 'č', 'D', '％', '😀']);
    const [firstListed, secondListed] = await shop.list(undefined, { offset: 0, limit: 2 });
    expect([firstListed?.name, (firstListed?.id ?? 0) < (secondListed?.id ?? 0)]).toEqual(['a', true]);
    const date = shop.fixture.now().toISOString().slice(0, 19);
    const expectedFields = { ...addressOf('a'), id: expect.any(Number), code: null, sellable: true };
    expect(firstListed).toEqual({ ...expectedFields, inserted_at: date, updated_at: date });
  });

  it('continues after a position, also when rows before it change', async () => {
    const shop = await open();
    for (const name of ['c', 'Č', 'a', 'b']) await shop.add(name, { name });
    const { warehouseQueries } = shop.fixture;
    const { end } = await warehouseQueries.list(shop.id, undefined, { offset: 0, limit: 2 });
    await shop.add('0', { name: '0' });
    const nextPage = { offset: 0, limit: 2, after: end! };
    expect(await shop.listCodes(undefined, nextPage)).toEqual(['c', 'Č']);
    expect((await warehouseQueries.list(shop.id, undefined, { ...nextPage, limit: 3 })).end).toBeNull();
    expect(await shop.listCodes('č', nextPage)).toEqual(['c', 'Č']);
    await expect(shop.list(undefined, { ...PAGE, after: ['a'] })).rejects.toMatchObject({ name: 'InvalidPosition' });
  });

  eachCase(it, [
    ['ŠTIP', ['A']],
    ['10%', ['A']],
    ['%', ['A']],
    ['_', []],
    ['\\', ['B']],
    ['11000', ['B']],
    ['b', ['B']],
    ['main st', ['A']],
    ['none', []],
    ['stip', ['A']],
    ['djorđe', ['B']],
  ] as [string, string[]][])('searched for "%s" returns %j', async (search, expected) => {
    const shop = await open();
    await shop.add('A', { name: '10% shop', address_line_1: 'Main St', city: 'štip', postcode: 'x' });
    await shop.add('B', { name: 'c:\\d', address_line_1: 'x', city: 'Đorđe', postcode: '11000' });
    expect(await shop.listCodes(search)).toEqual(expected);
  });
}
