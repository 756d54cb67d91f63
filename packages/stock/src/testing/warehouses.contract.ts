import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { DesiredWarehouse, Warehouse, WrittenWarehouses } from '../index.js';
import { address, type GivenStock } from './given-stock.js';

const PAGE = { offset: 0, limit: 100 };

const warehouse = (code: string | null, more: Partial<DesiredWarehouse> = {}): DesiredWarehouse => ({
  ...address(`name of ${code}`),
  code,
  ...more,
});

class Warehousing {
  constructor(
    readonly given: GivenStock,
    readonly id: number,
  ) {}

  add(code: string | null, more: Partial<Warehouse> = {}) {
    return this.given.warehouses.add(this.id, { ...address(`name of ${code}`), code, sellable: true, ...more });
  }

  /** Puts rows and expects that all are written. */
  async written(...rows: readonly DesiredWarehouse[]): Promise<WrittenWarehouses> {
    const outcome = await this.given.warehouses.put(this.id, rows);
    expect(outcome).not.toHaveProperty('failures');
    return outcome as WrittenWarehouses;
  }

  /** The failures of rows, without their area. */
  async failures(...rows: readonly (DesiredWarehouse | string)[]): Promise<readonly string[]> {
    const outcome = await this.given.warehouses.put(this.id, rows);
    expect(outcome).toHaveProperty('failures');
    return 'failures' in outcome ? outcome.failures.map((key) => key.replace('API.Warehouses.', '')) : [];
  }

  async list(search?: string, page = PAGE): Promise<Warehouse[]> {
    return JSON.parse(await this.given.warehouseQueries.list(this.id, search, page)) as Warehouse[];
  }

  async codes(...asked: Parameters<Warehousing['list']>): Promise<(string | null)[]> {
    return (await this.list(...asked)).map(({ code }) => code);
  }
}

type Open = () => Promise<Warehousing>;

/** Tests for every adapter of {@link Warehouses} and {@link WarehouseQueries}. Each test has its own app. */
export function warehousesContract(runner: Runner, open: () => Promise<GivenStock>): void {
  let given: GivenStock;
  runner.before(async () => {
    given = await open();
  });
  runner.after(() => given.close());
  const openApp = async () => new Warehousing(given, await given.makeApp());

  runner.describe('an added warehouse', () => additions(runner, openApp));
  runner.describe('put warehouses', () => {
    puts(runner, openApp);
    deletions(runner, openApp);
    bulk(runner, openApp);
  });
  runner.describe('the list of warehouses', () => lists(runner, openApp));
}

function additions({ it }: Runner, open: Open): void {
  it('is returned with its id and dates', async () => {
    const app = await open();
    const now = app.given.now();
    expect(await app.add('A', { sellable: false })).toEqual({
      ...address('name of A'),
      id: expect.any(Number),
      code: 'A',
      sellable: false,
      inserted_at: now,
      updated_at: now,
    });
  });

  it('has a unique code in its app until deleted', async () => {
    const [app, other] = [await open(), await open()];
    await app.add('A');
    expect(await app.add('A')).toEqual({ refused: 'has already been taken', field: 'code' });
    for (const code of ['a', ' A', null, null]) expect(await app.add(code)).toMatchObject({ code });
    expect(await other.add('A')).toMatchObject({ code: 'A' });
    await app.written({ ...warehouse('A'), delete: true });
    expect(await app.add('A')).toMatchObject({ code: 'A' });
  });

  it('is added once by concurrent calls', async () => {
    const app = await open();
    const added = await Promise.all(Array.from({ length: 8 }, () => app.add('A')));
    expect(added.filter((each) => 'id' in each)).toHaveLength(1);
    expect(await app.codes()).toEqual(['A']);
  });
}

function puts({ it }: Runner, open: Open): void {
  it('are created and changed by code and id, in input order', async () => {
    const app = await open();
    const a = (await app.add('A', { sellable: false })) as Warehouse;
    app.given.forward(60);
    const { warehouses, deleted } = await app.written(
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
    expect(warehouses.map((each) => each.updated_at)).toEqual(Array.from({ length: 4 }, () => app.given.now()));
    const ids = warehouses.map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });

  it('are written as the last row says', async () => {
    const app = await open();
    const { warehouses } = await app.written(warehouse('A', { name: 'first' }), warehouse('A', { name: 'last' }));
    expect(warehouses.map(({ name }) => name)).toEqual(['last', 'last']);
    expect(warehouses[0]?.id).toBe(warehouses[1]?.id);
    expect(await app.codes()).toEqual(['A']);
  });

  it('are written all or none, with the keys of failed rows', async () => {
    const app = await open();
    const [a, b] = [(await app.add('A')) as Warehouse, (await app.add('B')) as Warehouse];
    const before = await app.list();
    const failures = await app.failures(
      warehouse('new'),
      'API.Warehouses.NameCantBeBlank',
      warehouse('A', { id: b.id }),
      warehouse('new', { id: a.id }),
      warehouse('none', { delete: true }),
      warehouse(null, { id: 0, delete: true }),
    );
    expect(failures).toEqual(['NameCantBeBlank', 'CodeAndIdMismatch', 'CodeAndIdMismatch', 'NotFound', 'NotFound']);
    expect(await app.list()).toEqual(before);
  });

  it('of another app are not found', async () => {
    const [app, other] = [await open(), await open()];
    const foreign = (await other.add('A')) as Warehouse;
    expect(await app.failures(warehouse(null, { id: foreign.id, delete: true }))).toEqual(['NotFound']);
    const { warehouses } = await app.written(warehouse(null, { id: foreign.id }));
    expect(warehouses[0]?.id).not.toBe(foreign.id);
  });
}

function deletions({ it }: Runner, open: Open): void {
  it('are deleted by code and id, and can be created again in the same call', async () => {
    const app = await open();
    const [a, b] = [(await app.add('A')) as Warehouse, (await app.add('B')) as Warehouse];
    const { warehouses, deleted } = await app.written(
      warehouse('A', { delete: true }),
      warehouse('A', { name: 'new' }),
      warehouse(null, { id: b.id, delete: true }),
      warehouse('C'),
      warehouse('C', { delete: true }),
    );
    expect([deleted, warehouses.map(({ name }) => name)]).toEqual([[a.id, b.id], ['new']]);
    expect(warehouses[0]?.id).not.toBe(a.id);
    expect(await app.codes()).toEqual(['A']);
  });

  it('are kept while they have stock', async () => {
    const app = await open();
    await app.add('A');
    await app.given.addProduct(app.id, 'P', [{ code: 'P' }]);
    const add = (qty: number) => app.given.stock.add(app.id, [{ code: 'P', warehouse_code: 'A', qty }]);
    await add(1);
    expect(await app.failures(warehouse('A', { delete: true }))).toEqual(['HasStock']);
    await add(-1);
    expect((await app.written(warehouse('A', { delete: true }))).deleted).toHaveLength(1);
    expect(await app.failures(warehouse('A', { delete: true }))).toEqual(['NotFound']);
  });
}

function bulk({ it }: Runner, open: Open): void {
  it('are returned but not written in a dry run', async () => {
    const app = await open();
    const a = (await app.add('A')) as Warehouse;
    const rows = [warehouse('A', { delete: true }), warehouse('B'), warehouse('B', { name: 'last' })];
    const outcome = await app.given.warehouses.put(app.id, rows, { dryRun: true, explain: true });
    expect(outcome).toMatchObject({
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
    expect(await app.codes()).toEqual(['A']);
  });

  it('are created once by concurrent calls', async () => {
    const app = await open();
    const calls = await Promise.all(
      Array.from({ length: 8 }, (_, call) =>
        call % 2 === 0 ? app.written(warehouse('A'), warehouse('B')) : app.add('B'),
      ),
    );
    expect(calls).toHaveLength(8);
    expect(await app.codes()).toEqual(['A', 'B']);
  });
}

function lists({ it }: Runner, open: Open): void {
  it('is sorted by name, in the shape of the API', async () => {
    const app = await open();
    for (const name of ['b', 'a', 'B', '😀', '％', 'a']) await app.add(null, { name });
    const names = (await app.list()).map(({ name }) => name);
    expect(names).toEqual(['B', 'a', 'a', 'b', '％', '😀']);
    const [first, second] = await app.list(undefined, { offset: 1, limit: 2 });
    expect([first?.name, (first?.id ?? 0) < (second?.id ?? 0)]).toEqual(['a', true]);
    const date = app.given.now().toISOString().slice(0, 19);
    const shown = { ...address('a'), id: expect.any(Number), code: null, sellable: true };
    expect(first).toEqual({ ...shown, inserted_at: date, updated_at: date });
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
  ] as [string, string[]][])('searched by "%s" is %j', async (search, expected) => {
    const app = await open();
    await app.add('A', { name: '10% shop', address_line_1: 'Main St', city: 'štip', postcode: 'x' });
    await app.add('B', { name: 'c:\\d', address_line_1: 'x', city: 'x', postcode: '11000' });
    expect(await app.codes(search)).toEqual(expected);
  });
}
