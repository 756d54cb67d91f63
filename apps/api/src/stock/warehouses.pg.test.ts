import { propose, putStock, stockOf, stockShop, warehouse } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
});

interface Warehouse {
  readonly id: number;
  readonly code: string | null;
  readonly name: string;
}

const put = (warehouses: readonly unknown[], client = shop): Promise<Reply> => client.put('/warehouse', { warehouses });
const writeWarehouses = async (
  warehouses: readonly unknown[],
): Promise<{ warehouses: Warehouse[]; deleted: number[] }> => {
  const { status, body } = await put(warehouses);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body.data;
};
const expectRefused = async (warehouses: readonly unknown[]): Promise<string[]> => {
  const rowsBefore = await readRows();
  const { status, body } = await put(warehouses);
  expect(status).toBe(422);
  expect(await readRows()).toEqual(rowsBefore);
  return body.errors.Warehouses.map((key: string) => key.replace(/^API\.Warehouses\./, ''));
};
const readRows = () => api.database.rows('select * from warehouses where app_id = $1 order by id', [shop.appId]);

const withField = (field: string, value?: unknown) => ({ ...warehouse('W1'), [field]: value });

describe('PUT /warehouse', () => {
  it('creates warehouses and returns them in input order', async () => {
    const { warehouses, deleted } = await writeWarehouses([
      warehouse('Z'),
      warehouse('A', { sellable: false }),
      warehouse('M'),
    ]);
    expect(warehouses.map(({ code }) => code)).toEqual(['Z', 'A', 'M']);
    expect(deleted).toEqual([]);
    expect(warehouses[1]).toEqual({
      ...warehouse('A'),
      id: expect.any(Number),
      sellable: false,
      inserted_at: api.clock.now().toISOString().slice(0, 19),
      updated_at: api.clock.now().toISOString().slice(0, 19),
    });
  });

  it('changes warehouses matched by code, by id or by both, and creates the others', async () => {
    const [firstWarehouse, secondWarehouse] = (await writeWarehouses([warehouse('A'), warehouse('B')])).warehouses as [
      Warehouse,
      Warehouse,
    ];
    api.clock.forward({ seconds: 60 });
    const { warehouses } = await writeWarehouses([
      { ...warehouse('A'), name: 'by code' },
      { ...warehouse('B'), id: secondWarehouse.id, name: 'by both' },
      { ...warehouse('C'), name: 'new' },
    ]);
    expect(warehouses.map(({ id, name }) => [id, name])).toEqual([
      [firstWarehouse.id, 'by code'],
      [secondWarehouse.id, 'by both'],
      [expect.any(Number), 'new'],
    ]);
    expect(warehouses[0]).toMatchObject({ updated_at: api.clock.now().toISOString().slice(0, 19) });
    const byId = await writeWarehouses([{ ...warehouse('A'), code: undefined, id: firstWarehouse.id, name: 'by id' }]);
    expect(byId.warehouses).toMatchObject([{ id: firstWarehouse.id, code: 'A', name: 'by id' }]);
    expect((await writeWarehouses([{ ...warehouse('x'), code: undefined, id: 987_654 }])).warehouses).toMatchObject([
      { code: null },
    ]);
  });

  it('matches codes exactly, including case and spaces', async () => {
    const codes = ['a', 'A', ' a', 'a ', 'ａ'];
    await writeWarehouses(codes.map((code) => warehouse(code)));
    expect((await writeWarehouses(codes.map((code) => warehouse(code, { name: 'again' })))).warehouses).toHaveLength(5);
    expect(await readRows()).toHaveLength(5);
  });

  it('creates any number of warehouses without a code', async () => {
    await writeWarehouses([
      warehouse('x', { code: null }),
      warehouse('x', { code: '' }),
      { ...warehouse('x'), code: undefined },
    ]);
    expect((await readRows()) as { code: null }[]).toMatchObject([{ code: null }, { code: null }, { code: null }]);
  });

  it('keeps sellable unchanged when it is absent', async () => {
    await writeWarehouses([warehouse('A', { sellable: false })]);
    expect((await writeWarehouses([warehouse('A')])).warehouses).toMatchObject([{ sellable: false }]);
    expect((await writeWarehouses([warehouse('A', { sellable: null })])).warehouses).toMatchObject([
      { sellable: false },
    ]);
    expect((await writeWarehouses([warehouse('A', { sellable: true })])).warehouses).toMatchObject([
      { sellable: true },
    ]);
  });

  it('ignores unknown fields', async () => {
    const { warehouses } = await writeWarehouses([
      warehouse('A', { inserted_at: '2001-01-01', app_id: 1, deleted_at: 'now', x: {} }),
    ]);
    expect(warehouses).toMatchObject([{ code: 'A', inserted_at: api.clock.now().toISOString().slice(0, 19) }]);
  });

  it('does nothing for an empty list', async () => {
    expect(await writeWarehouses([])).toEqual({ warehouses: [], deleted: [] });
  });
});

describe('PUT /warehouse with delete', () => {
  it('deletes by code and by id, and frees the code', async () => {
    const [a, b] = (await writeWarehouses([warehouse('A'), warehouse('B')])).warehouses as [Warehouse, Warehouse];
    expect(
      await writeWarehouses([
        { code: 'A', delete: true },
        { id: b.id, delete: true },
      ]),
    ).toEqual({ warehouses: [], deleted: [a.id, b.id] });
    const { warehouses } = await writeWarehouses([warehouse('A')]);
    expect(warehouses[0]?.id).toBeGreaterThan(b.id);
  });

  it('can delete a warehouse that the same call created', async () => {
    expect(await writeWarehouses([warehouse('A'), { code: 'A', delete: true }])).toEqual({
      warehouses: [],
      deleted: [],
    });
    expect(await readRows()).toEqual([]);
  });

  it('is refused for unknown and deleted warehouses', async () => {
    await writeWarehouses([warehouse('A')]);
    expect(await expectRefused([{ code: 'a', delete: true }])).toEqual(['NotFound']);
    expect(await expectRefused([{ id: 987_654, delete: true }, { delete: true }])).toEqual(['NotFound', 'NotFound']);
    expect(
      await expectRefused([
        { code: 'A', delete: true },
        { code: 'A', delete: true },
      ]),
    ).toEqual(['NotFound']);
    await writeWarehouses([{ code: 'A', delete: true }]);
    expect(await expectRefused([{ code: 'A', delete: true }])).toEqual(['NotFound']);
  });

  it('fails with HasStock while the warehouse has stock on hand or reserved', async () => {
    await stockShop(shop, [{ code: 'P', stock: 1 }]);
    expect(await expectRefused([{ code: 'W1', delete: true }])).toEqual(['HasStock']);
    const { id } = await propose(shop, [{ code: 'P', qty: 1 }]);
    await putStock(shop, [{ code: 'P', warehouse_code: 'W1', qty: -1 }]);
    expect(await stockOf(shop, 'P')).toMatchObject({ on_hand: 0, reserved: 1 });
    expect(await expectRefused([{ code: 'W1', delete: true }])).toEqual(['HasStock']);
    await shop.delete(`/proforma_orders/${id}`);
    expect((await writeWarehouses([{ code: 'W1', delete: true }])).deleted).toHaveLength(1);
  });

  it('hides the warehouse from stock calls', async () => {
    await stockShop(shop, [{ code: 'P', stock: 0 }]);
    await writeWarehouses([{ code: 'W1', delete: true }]);
    const { data } = (await shop.put('/int/stocks', { stocks: [{ code: 'P', warehouse_code: 'W1', qty: 1 }] })).body;
    expect(data.failed).toMatchObject([{ error: { message: 'API.Stocks.WarehouseNotFound' } }]);
    expect((await shop.get('/stocks/aggregate?code=P')).body.data[0].warehouses).toEqual([]);
  });
});

describe('PUT /warehouse with an invalid row', () => {
  it.each([
    ['name', undefined, 'NameCantBeBlank'],
    ['name', null, 'NameCantBeBlank'],
    ['name', '', 'NameCantBeBlank'],
    ['name', ' \t', 'NameCantBeBlank'],
    ['address_line_1', '', 'AddressLine1CantBeBlank'],
    ['city', undefined, 'CityCantBeBlank'],
    ['postcode', null, 'PostcodeCantBeBlank'],
    ['market_id', undefined, 'MarketIdCantBeBlank'],
    ['market_id', null, 'MarketIdCantBeBlank'],
    ['name', 'x'.repeat(256), 'NameIsTooLong'],
    ['code', 'x'.repeat(256), 'CodeIsTooLong'],
    ['city', 'a\0b', 'CityIsInvalid'],
    ['code', '\ud800', 'CodeIsInvalid'],
    ['name', 5, 'WrongDataType'],
    ['market_id', '1', 'WrongDataType'],
    ['market_id', 1.5, 'WrongDataType'],
    ['id', '1', 'WrongDataType'],
    ['id', 1.5, 'WrongDataType'],
    ['sellable', 'yes', 'WrongDataType'],
    ['delete', 1, 'WrongDataType'],
    ['code', 7, 'WrongDataType'],
  ])('refuses %s %j with %s and writes nothing', async (field, value, key) => {
    expect(await expectRefused([warehouse('OK'), withField(field, value)])).toEqual([key]);
  });

  it('reports the first failure of each invalid row, in input order', async () => {
    const [a] = (await writeWarehouses([warehouse('A'), warehouse('B')])).warehouses as [Warehouse];
    const rowsWithFaults = [
      { ...warehouse('N'), postcode: '' },
      warehouse('fine'),
      { code: 'nothing but a code' },
      { ...warehouse('B'), id: a.id },
      { code: 'unknown', delete: true },
      null,
      { ...warehouse('C'), city: null, market_id: null },
      [],
      'text',
    ];
    expect(await expectRefused(rowsWithFaults)).toEqual([
      'PostcodeCantBeBlank',
      'NameCantBeBlank',
      'CodeAndIdMismatch',
      'NotFound',
      'WrongDataType',
      'CityCantBeBlank',
      'WrongDataType',
      'WrongDataType',
    ]);
  });

  it('fails with CodeAndIdMismatch when code and id identify different warehouses', async () => {
    const [a, b] = (await writeWarehouses([warehouse('A'), warehouse('B')])).warehouses as [Warehouse, Warehouse];
    expect(
      await expectRefused([
        { ...warehouse('A'), id: b.id },
        { ...warehouse('A'), id: 987_654 },
        { ...warehouse('new'), id: a.id },
        { code: 'A', id: b.id, delete: true },
      ]),
    ).toEqual(Array.from({ length: 4 }, () => 'CodeAndIdMismatch'));
  });
});

describe('PUT /warehouse with many rows', () => {
  const manyRows = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => warehouse(`M${index}`, { name }));

  it('writes 1,000 rows with as many statements as one row', async () => {
    const countStatements = async (warehouses: readonly object[]): Promise<number> => {
      api.statements.length = 0;
      await writeWarehouses(warehouses);
      return api.statements.length;
    };
    await writeWarehouses([]);
    expect(await countStatements(manyRows(1_000, 'x'))).toBe(await countStatements([warehouse('one')]));
    expect(await countStatements(manyRows(1_000, 'y'))).toBe(
      await countStatements([{ ...warehouse('one'), name: 'y' }]),
    );
    const deletionsOf = (rowsOf: readonly object[]) => rowsOf.map((row) => ({ ...row, delete: true }));
    expect(await countStatements(deletionsOf(manyRows(1_000, 'y')))).toBe(
      await countStatements(deletionsOf([warehouse('one')])),
    );
  });

  it('writes 10,000 rows', async () => {
    const { warehouses } = await writeWarehouses(manyRows(10_000, 'x'));
    expect(warehouses.map(({ code }) => code)).toEqual(manyRows(10_000, 'x').map((row) => (row as Warehouse).code));
  });
});
