import { setTimeout } from 'node:timers/promises';
import { beginLockedBulk } from '@back-office/database-postgres';
import { LOCK_WAITS } from '../testing/lock-waits.js';
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

interface Location {
  readonly id: number;
  readonly code: string | null;
  readonly external_ref: string | null;
  readonly name: string;
}

const post = (app_locations: unknown, client = shop): Promise<Reply> =>
  client.post('/int/app_locations', { app_locations });
const postRows = async (locations: readonly unknown[], client = shop): Promise<(Location & { message?: string })[]> => {
  const { status, body } = await post(locations, client);
  expect([status, body.errors, body.data?.length]).toEqual([200, undefined, locations.length]);
  return body.data;
};
const write = async (locations: readonly unknown[], client = shop): Promise<Location[]> => {
  const data = await postRows(locations, client);
  expect(data.flatMap(({ message }) => message ?? [])).toEqual([]);
  return data;
};
const expectRefused = async (locations: readonly unknown[]): Promise<(string | undefined)[]> => {
  const locationsBefore = await readLocations();
  const data = await postRows(locations);
  expect(await readLocations()).toEqual(locationsBefore);
  return data.map(({ message }) => message?.replace(/^API\.AppLocations\./, ''));
};
const readLocations = (client = shop) =>
  api.database.rows<Location>('select * from app_locations where app_id = $1 order by id', [client.appId]);

const locationRow = (fields: object = {}) => ({ name: 'Store', latitude: 44.8125, longitude: 20.4612, ...fields });
const now = () => api.clock.now().toISOString().slice(0, 19);

describe('POST /int/app_locations', () => {
  it('creates locations and returns them in input order', async () => {
    const fullRow = {
      code: 'Z',
      external_ref: 'erp-1',
      name: 'Beograd',
      latitude: -44.812_546_7,
      longitude: 179.999_999,
      address_line_1: 'Knez Mihailova 1',
      city: 'Beograd',
      postcode: '11000',
      image_url: 'https://img.example/store.jpg',
    };
    const emptyFields = {
      code: null,
      external_ref: null,
      address_line_1: null,
      city: null,
      postcode: null,
      image_url: null,
    };
    expect(await write([fullRow, locationRow({ code: 'A' }), locationRow()])).toEqual([
      { id: expect.any(Number), ...fullRow, inserted_at: now(), updated_at: now() },
      { id: expect.any(Number), ...emptyFields, ...locationRow({ code: 'A' }), inserted_at: now(), updated_at: now() },
      { id: expect.any(Number), ...emptyFields, ...locationRow(), inserted_at: now(), updated_at: now() },
    ]);
  });

  it('changes matched locations, keeps absent fields and clears null fields', async () => {
    const [createdLocation] = await write([
      locationRow({ code: 'A', city: 'Niš', postcode: '18000', external_ref: 'r' }),
    ]);
    api.clock.forward({ seconds: 60 });
    const [changedLocation] = await write([locationRow({ code: 'A', name: 'Renamed', city: null, latitude: 1 })]);
    expect(changedLocation).toEqual({
      ...createdLocation,
      name: 'Renamed',
      city: null,
      latitude: 1,
      updated_at: now(),
    });
    expect(await readLocations()).toHaveLength(1);
  });

  it('accepts an empty list and ignores unknown fields', async () => {
    expect(await write([])).toEqual([]);
    await write([locationRow({ id: 5, app_id: 1, inserted_at: '2001-01-01', constructor: 1 })]);
    expect(await readLocations()).toMatchObject([{ app_id: shop.appId, inserted_at: api.clock.now() }]);
  });
});

describe('the location of a row of POST /int/app_locations', () => {
  let locationA: Location;
  let locationB: Location;

  beforeEach(async () => {
    [locationA, locationB] = (await write([
      locationRow({ code: 'A', external_ref: 'ra' }),
      locationRow({ code: 'B', external_ref: 'rb' }),
    ])) as [Location, Location];
  });

  it.each([
    ['code', { code: 'B' }],
    ['reference', { external_ref: 'rb' }],
    ['reference when the code is null', { code: null, external_ref: 'rb' }],
    ['reference when the code is new', { code: 'new', external_ref: 'rb' }],
    ['both', { code: 'B', external_ref: 'rb' }],
    ['code when the reference is new', { code: 'B', external_ref: 'new' }],
  ])('is found by %s', async (_, identifiers) => {
    const [foundLocation] = await write([locationRow(identifiers)]);
    expect(foundLocation).toMatchObject({ id: locationB.id, ...identifiers });
    expect(await readLocations()).toHaveLength(2);
  });

  it.each([
    { code: 'b' },
    { code: 'B ' },
    { code: ' B' },
    { code: 'rb' },
    { external_ref: 'B' },
    { external_ref: 'RB' },
  ])('is not found by %j', async (identifiers) => {
    const [newLocation] = await write([locationRow(identifiers)]);
    expect([locationA.id, locationB.id]).not.toContain(newLocation?.id);
  });
});

describe('POST /int/app_locations with failed rows', () => {
  it('returns messages for the failed rows and writes the others', async () => {
    const data = await postRows([
      locationRow({ code: 'A' }),
      locationRow({ name: ' ' }),
      null,
      locationRow({ code: 'B' }),
      5,
    ]);
    expect(data).toEqual([
      expect.objectContaining({ code: 'A' }),
      { message: 'API.AppLocations.NameCantBeBlank', index: 1, field: 'name' },
      { message: 'API.AppLocations.WrongDataType', index: 2, field: null },
      expect.objectContaining({ code: 'B' }),
      { message: 'API.AppLocations.WrongDataType', index: 4, field: null },
    ]);
    expect(await readLocations()).toMatchObject([{ code: 'A' }, { code: 'B' }]);
  });

  it('translates messages for the app', async () => {
    await shop.patch('/app/settings', { translations: { en: { 'API.AppLocations.NameCantBeBlank': 'Name it' } } });
    expect(await postRows([locationRow({ name: '' })])).toEqual([{ message: 'Name it', index: 0, field: 'name' }]);
  });
});

describe('POST /int/app_locations with an invalid row or body', () => {
  it.each([
    ['name', undefined, 'NameCantBeBlank'],
    ['name', null, 'NameCantBeBlank'],
    ['name', '\t', 'NameCantBeBlank'],
    ['name', 'x'.repeat(256), 'NameIsTooLong'],
    ['name', 5, 'WrongDataType'],
    ['latitude', undefined, 'LatitudeCantBeBlank'],
    ['latitude', null, 'LatitudeCantBeBlank'],
    ['latitude', 90.000_1, 'LatitudeIsInvalid'],
    ['latitude', -91, 'LatitudeIsInvalid'],
    ['latitude', '44.8', 'WrongDataType'],
    ['longitude', undefined, 'LongitudeCantBeBlank'],
    ['longitude', 180.1, 'LongitudeIsInvalid'],
    ['longitude', -1e308, 'LongitudeIsInvalid'],
    ['longitude', true, 'WrongDataType'],
    ['code', 'a\0', 'CodeIsInvalid'],
    ['code', 7, 'WrongDataType'],
    ['external_ref', '\ud800', 'ExternalRefIsInvalid'],
    ['external_ref', 'x'.repeat(256), 'ExternalRefIsTooLong'],
    ['address_line_1', [], 'WrongDataType'],
    ['city', 'x'.repeat(256), 'CityIsTooLong'],
    ['postcode', 11_000, 'WrongDataType'],
    ['image_url', 'x'.repeat(2_049), 'ImageUrlIsTooLong'],
    ['image_url', 'javascript:alert(1)', 'ImageUrlIsInvalid'],
  ])('refuses %s %j with %s', async (field, value, key) => {
    expect(await expectRefused([locationRow({ [field]: value })])).toEqual([key]);
  });

  it('reports the first error of a row', async () => {
    expect(await expectRefused([{ code: 7 }, { ...locationRow(), latitude: 100, longitude: 200 }])).toEqual([
      'NameCantBeBlank',
      'LatitudeIsInvalid',
    ]);
  });

  it.each([90, -90])('accepts the pole at %d and both signs of 180°', async (latitude) => {
    await write([locationRow({ latitude, longitude: 180 }), locationRow({ latitude, longitude: -180 })]);
  });

  it.each([[{}], [{ app_locations: null }], [{ app_locations: locationRow() }], [{ locations: [locationRow()] }]])(
    'refuses %j',
    async (body) => {
      const { status, body: answer } = await shop.post('/int/app_locations', body);
      expect([status, answer]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
    },
  );

  it('returns 413 for more than 10,000 rows', async () => {
    expect((await post(Array.from({ length: 10_001 }, () => locationRow()))).status).toBe(413);
  });
});

describe('POST /int/app_locations with many rows', () => {
  const manyRows = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => locationRow({ code: `M${index}`, name }));

  it('needs as many statements for 10,000 rows as for one row', async () => {
    const countStatements = async (locations: readonly object[]): Promise<number> => {
      api.statements.length = 0;
      await write(locations);
      return api.statements.length;
    };
    await write([]);
    const statementsForOne = await countStatements(manyRows(1, 'x'));
    expect(await countStatements(manyRows(5_000, 'y'))).toBe(statementsForOne);
    expect(await countStatements(manyRows(10_000, 'z'))).toBe(statementsForOne);
    expect((await readLocations()).filter(({ name }) => name === 'z')).toHaveLength(10_000);
  });
});

describe('POST /int/app_locations during another call', () => {
  it('waits for the other call and finds its locations', async () => {
    let call: Promise<Location[]> | undefined;
    await api.database.transaction(async (transaction) => {
      await beginLockedBulk(transaction, 'locations', shop.appId, 1);
      await transaction.rows(
        `insert into app_locations (app_id, code, external_ref, name, latitude, longitude, inserted_at, updated_at)
         values ($1, 'A', 'r', 'foreign', 1, 1, now(), now())`,
        [shop.appId],
      );
      call = write([locationRow({ code: 'A', name: 'own' }), locationRow({ external_ref: 'r', city: 'Niš' })]);
      while ((await api.database.rows(LOCK_WAITS)).length === 0) await setTimeout(10);
    });
    expect(await call).toMatchObject([{ city: 'Niš' }, { city: 'Niš' }]);
    expect(await readLocations()).toMatchObject([{ code: 'A', external_ref: 'r', name: 'Store' }]);
  });
});
