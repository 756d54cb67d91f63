import { explainStatement } from '@back-office/database-postgres/testing';
import { newCustomer, startSession } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;
let phone: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  phone = await signIn('mira@example.com');
});

async function signIn(email: string): Promise<Client> {
  const token = await startSession(shop, await newCustomer(shop, email));
  return api.withOrigins({ ...shop, token }, [api.origin]);
}

type Position = readonly [latitude: number, longitude: number];

const EARTH_RADIUS = 6_371_008.8;
const moveNorth = ([latitude, longitude]: Position, metres: number): Position => [
  latitude + (metres / EARTH_RADIUS) * (180 / Math.PI),
  longitude,
];
const moveEast = ([latitude, longitude]: Position, metres: number): Position => [
  latitude,
  longitude + (metres / EARTH_RADIUS / Math.cos((latitude * Math.PI) / 180)) * (180 / Math.PI),
];

const addLocations = async (...positions: readonly Position[]): Promise<number[]> => {
  const app_locations = positions.map(([latitude, longitude]) => ({ name: 'Store', latitude, longitude }));
  const { body } = await shop.post('/int/app_locations', { app_locations });
  return body.data.map(({ id }: { id: number }) => id);
};
const attend = ([latitude, longitude]: Position, fields: object = {}, client = phone): Promise<Reply> =>
  client.post('/customer/attendance', { attendance: { latitude, longitude, ...fields } });
const visitAt = async (position: Position): Promise<unknown[] | undefined> => {
  const { status, body } = await attend(position);
  if (status === 201) return [body.data.app_location_id, body.data.distance_m];
  expect([status, body]).toEqual([
    422,
    { errors: { CustomerAttendances: ['API.CustomerAttendances.NoLocationNearby'] } },
  ]);
  return undefined;
};
const readVisits = () =>
  api.database.rows('select * from customer_attendances where app_id = $1 order by id', [shop.appId]);

const STORE: Position = [44.8125, 20.4612];

describe('POST /customer/attendance', () => {
  it('records a visit of the signed-in customer to the nearest location', async () => {
    const [store] = await addLocations(STORE);
    const { status, body } = await attend(moveNorth(STORE, 50), { accuracy: 12.5, customer_id: 987_654 });
    const visitedAt = api.clock.now();
    expect([status, body.data]).toEqual([
      201,
      {
        id: expect.any(Number),
        app_location_id: store,
        distance_m: 50,
        inserted_at: visitedAt.toISOString().slice(0, 19),
      },
    ]);
    const [{ id: customer }] = (await api.database.rows('select id from customers where app_id = $1', [
      shop.appId,
    ])) as [{ id: number }];
    expect(await readVisits()).toMatchObject([
      { id: body.data.id, customer_id: customer, app_location_id: store, accuracy: 12.5, longitude: STORE[1] },
    ]);
  });

  it('records every visit, even at the same location', async () => {
    await addLocations(STORE);
    await attend(STORE);
    await attend(STORE, { accuracy: null });
    expect(await readVisits()).toMatchObject([{ accuracy: null }, { accuracy: null }]);
  });

  it('records one visit per Idempotency-Key', async () => {
    await addLocations(STORE);
    const [firstReply, secondReply] = [
      await attend(STORE, {}, phone.keyed('k')),
      await attend(STORE, {}, phone.keyed('k')),
    ];
    expect([secondReply.status, secondReply.text]).toEqual([201, firstReply.text]);
    expect(await readVisits()).toHaveLength(1);
  });

  it.each([
    ['200.2 m to the north', moveNorth(STORE, 200.2)],
    ['200.2 m to the south', moveNorth(STORE, -200.2)],
    ['200.2 m to the east', moveEast(STORE, 200.2)],
    ['200.2 m to the west', moveEast(STORE, -200.2)],
    ['150 m to the north and to the east', moveEast(moveNorth(STORE, 150), 150)],
    ['on the other side of the Earth', [-STORE[0], STORE[1] - 180] as Position],
    ['on the same latitude, far away', [STORE[0], -STORE[1]] as Position],
  ])('refuses a phone %s with NoLocationNearby', async (_, position) => {
    await addLocations(STORE);
    expect(await visitAt(position)).toBeUndefined();
    expect(await readVisits()).toEqual([]);
  });

  it('reads only a band of latitudes, by index', async () => {
    const app_locations = Array.from({ length: 5_000 }, (_, index) => ({
      name: 'Store',
      latitude: (index % 160) - 80 + index / 5_000,
      longitude: 0,
    }));
    await shop.post('/int/app_locations', { app_locations });
    await api.database.source.query('analyze app_locations');
    api.statements.length = 0;
    await attend(STORE);
    const text = api.statements.find((statement) => statement.includes('customer_attendances')) as string;
    const plan = await explainStatement(api.database, text, [shop.appId, 1, 44, 20, null, api.clock.now(), '']);
    expect(plan).toMatch(/Index Cond: .*latitude >= .*latitude <= /);
  });
});

describe('POST /customer/attendance with an invalid body', () => {
  it.each([
    ['without a position', {}, { latitude: ["can't be blank"], longitude: ["can't be blank"] }],
    ['with nulls', { latitude: null, longitude: 1 }, { latitude: ["can't be blank"] }],
    ['beyond the pole', { latitude: 90.1, longitude: 1 }, { latitude: ['is invalid'] }],
    [
      'beyond the antimeridian',
      { latitude: -91, longitude: -180.1 },
      { latitude: ['is invalid'], longitude: ['is invalid'] },
    ],
    ['with a negative accuracy', { latitude: 1, longitude: 1, accuracy: -1 }, { accuracy: ['is invalid'] }],
  ])('reports every invalid field of a visit %s', async (_, attendance, errors) => {
    const { status, body } = await phone.post('/customer/attendance', { attendance });
    expect([status, body]).toEqual([422, { errors }]);
  });

  it.each([
    [{}],
    [{ attendance: null }],
    [{ latitude: 1, longitude: 1 }],
    [{ attendance: { latitude: '1', longitude: 1 } }],
    [{ attendance: { latitude: 1, longitude: [1] } }],
    [{ attendance: { latitude: 1, longitude: 1, accuracy: 'good' } }],
  ])('refuses %j', async (body) => {
    const { status, body: answer } = await phone.post('/customer/attendance', body);
    expect([status, answer]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });
});

describe('GET /customer/attendances', () => {
  const listVisits = async (query = '', client = phone): Promise<{ id: number; distance_m: number }[]> => {
    const { status, body } = await client.get(`/customer/attendances${query}`);
    expect([status, Object.keys(body)]).toEqual([200, ['data']]);
    return body.data;
  };

  it('lists visits as recorded, newest first', async () => {
    await addLocations(STORE);
    const [firstReply, secondReply] = [await attend(moveNorth(STORE, 10)), await attend(moveNorth(STORE, 20))];
    api.clock.forward({ seconds: 60 });
    const thirdReply = await attend(STORE);
    expect(await listVisits()).toEqual([thirdReply, secondReply, firstReply].map(({ body }) => body.data));
  });

  it('lists only visits of the signed-in customer', async () => {
    await addLocations(STORE);
    await attend(STORE);
    const otherPhone = await signIn('ana@example.com');
    expect(await listVisits('', otherPhone)).toEqual([]);
    await attend(STORE, {}, otherPhone);
    expect([(await listVisits()).length, (await listVisits('', otherPhone)).length]).toEqual([1, 1]);
  });

  it('lists visits of all sessions of the customer', async () => {
    await addLocations(STORE);
    await attend(STORE);
    const { body } = await shop.post('/customers', {
      customer: { email: 'a@example.com', first_name: 'A', last_name: 'B', external_ref: 'crm' },
    });
    expect(body.data.id).toEqual(expect.any(Number));
    const sessions = await Promise.all([1, 2].map(() => startSession(shop, { customer_external_ref: 'crm' })));
    const [firstPhone, secondPhone] = sessions.map((token) => api.withOrigins({ ...shop, token }, [api.origin])) as [
      Client,
      Client,
    ];
    await attend(STORE, {}, firstPhone);
    expect(await listVisits('', secondPhone)).toEqual(await listVisits('', firstPhone));
    expect(await listVisits('', secondPhone)).toHaveLength(1);
  });

  it('returns pages of 30 by default and for invalid paging parameters', async () => {
    await addLocations(STORE);
    for (let count = 0; count < 33; count += 1) await attend(moveNorth(STORE, count));
    const distances = Array.from({ length: 33 }, (_, index) => 32 - index);
    const listDistances = async (query: string) =>
      (await listVisits(query)).map(({ distance_m: distance }) => distance);
    expect(await listDistances('')).toEqual(distances.slice(0, 30));
    expect(await listDistances('?offset=30')).toEqual(distances.slice(30));
    expect(await listDistances('?offset=2&limit=3')).toEqual(distances.slice(2, 5));
    expect(await listDistances('?limit=99999')).toEqual(distances);
    for (const limit of ['0', '-1', 'x', '1.5', ''])
      expect(await listDistances(`?limit=${limit}`)).toEqual(distances.slice(0, 30));
    expect(await listDistances('?offset=33')).toEqual([]);
  });
});
