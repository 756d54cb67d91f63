import { TOKENS } from '../../tokens.js';
import { loadRows, explainStatement } from '@back-office/database-postgres/testing';
import { testApi, type Client, type Reply, type TestApi } from '../../testing/test-api.js';

let api: TestApi;
let shop: Client;
let baseUrl: string;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  baseUrl = await baseUrlOf(shop);
});

/** Too long for an index entry: 5,700 bytes that PostgreSQL cannot compress. */
const TOO_LONG_FOR_AN_INDEX = String.fromCodePoint(...Array.from({ length: 1_900 }, (_, index) => 0x4e00 + index * 11));

interface Usage {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly field: string;
  readonly label: string | null;
  readonly url: string;
  readonly total_count: number;
}

const prefixOf = async (client: Client): Promise<string> =>
  (await client.get('/app/settings')).body.data.media.prefix as string;
const baseUrlOf = async (client: Client): Promise<string> =>
  `${api.container.get(TOKENS.Library).library.base}/${await prefixOf(client)}`;
const urlOf = (name: string): string => `${baseUrl}/${name}`;

const addFile = async (name: string, state = 'active', client = shop): Promise<number> => {
  const [file] = await api.database.rows<{ id: number }>(
    `insert into cdn_files (app_id, state, key, filename, kind, mime, size, content, deleted_at, purge_at, last_modified, inserted_at)
     select $1, $3, $2, $2, 'image', 'image/png', 1, 'o', deleted, deleted, now(), now()
     from (select case when $3 = 'trashed' then now() end as deleted) as at returning id`,
    [client.appId, `${await prefixOf(client)}/${name}`, state],
  );
  return file?.id as number;
};
const purge = async (id: number, name: string) => {
  expect((await shop.delete(`/cdn?file=${await prefixOf(shop)}/${name}`)).status).toBe(200);
  expect((await shop.delete(`/cdn/files/${id}/purge`)).status).toBe(200);
};

const dataOf = ({ status, body }: Reply): Usage[] => {
  expect([status, Object.keys(body)]).toEqual([200, ['data']]);
  return body.data;
};
const usagesOf = async (id: number | string, query = '', client = shop) =>
  dataOf(await client.get(`/cdn/files/${id}/usages${query}`));
const listBroken = async (query = '', client = shop) => dataOf(await client.get(`/cdn/usages/broken${query}`));
const relativeUrls = (usages: readonly Usage[]) => usages.map(({ url }) => url.slice(baseUrl.length + 1));

const putUsage = (usage: object, client = shop) => client.put('/cdn/usages', { usage });
const makePage = (...namesOf: readonly string[]) => ({
  entity_type: 'page',
  entity_id: 'home',
  label: 'Home',
  fields: namesOf.map((name) => ({ field: 'body', url: urlOf(name) })),
});
const reportUsages = async (usage: object): Promise<Usage[]> => dataOf(await putUsage(usage));

const makeImages = (...names: readonly string[]) => names.map((name) => ({ image_url: urlOf(name) }));
const upsertProduct = async (fields: object, query = '') => {
  const products = [{ code: 'A', name: 'Boot', ...fields }];
  const { body } = await shop.post(`/int/products${query}`, { products });
  expect(body.data.failed).toEqual([]);
  return body.data.products[0];
};
const upsertLocation = async (fields: object) => {
  const app_locations = [{ code: 'S', name: 'Store', latitude: 1, longitude: 1, ...fields }];
  return (await shop.post('/int/app_locations', { app_locations })).body.data[0];
};

describe('a usage', () => {
  it('is recorded again when an image is sent again', async () => {
    const file = await addFile('a.jpg');
    await upsertProduct({ images: makeImages('a.jpg', 'a.jpg') });
    await upsertProduct({ images: makeImages('a.jpg') });
    expect((await usagesOf(file)).map((usage) => usage.total_count)).toEqual([3, 3, 3]);
    expect((await shop.get('/products?code=A')).body.data.images).toHaveLength(3);
  });

  it('increases the usage count of its file', async () => {
    const file = await addFile('a.jpg');
    await upsertProduct({ images: makeImages('a.jpg', 'a@320.jpg') });
    await upsertLocation({ image_url: urlOf('a.jpg?v=2') });
    await reportUsages(makePage('a.jpg', 'b.jpg'));
    expect((await shop.get(`/cdn/files/${file}`)).body.data.usage_count).toBe(4);
  });

  it('shows the current name of its record', async () => {
    const file = await addFile('a.jpg');
    await upsertProduct({
      images: makeImages('a.jpg'),
      variants: [{ code: 'A-1', name: 'Old', images: makeImages('a.jpg') }],
    });
    await upsertLocation({ image_url: urlOf('a.jpg') });
    await upsertProduct({ name: 'Sandal', variants: [{ code: 'A-1', name: 'New' }] });
    await upsertLocation({ name: 'Shop' });
    expect((await usagesOf(file)).map(({ label }) => label)).toEqual(['Sandal', 'New', 'Shop']);
    await upsertProduct({ variants: [{ code: 'A-1', name: '' }] });
    expect((await usagesOf(file)).map(({ label }) => label)).toEqual(['Boot', 'Boot', 'Shop']);
  });

  it.each([
    ['with ?v=', 'shoes/a.jpg?v=7'],
    ['of a rendition', 'shoes/a@320.jpg'],
    ['of a rendition with ?v=', 'shoes/a@320.jpg?v=7'],
    ['of a kept version', 'shoes/a@v2.jpg'],
    ['of a page', 'shoes/a.jpg@p3.webp'],
  ])('is found by a URL %s, and is shown as stored', async (_, name) => {
    const file = await addFile('shoes/a.jpg');
    await upsertProduct({ images: makeImages(name) });
    expect(relativeUrls(await usagesOf(file))).toEqual([name]);
  });

  it.each([
    ['an external URL', () => 'https://shop.example/a.jpg'],
    ['a URL with another prefix', () => `${baseUrl}x/a.jpg`],
    ['a URL with NUL', () => urlOf('a%00.jpg')],
    ['a URL too long for an index', () => urlOf(TOO_LONG_FOR_AN_INDEX)],
  ])('is not recorded for %s', async (_, makeUrl) => {
    const image_url = makeUrl();
    await upsertProduct({ images: [{ image_url }], variants: [{ code: 'A-1', images: [{ image_url }] }] });
    expect((await upsertLocation({ image_url })).image_url).toBe(image_url);
    const image = { image_url, alt: null };
    const { data: product } = (await shop.get('/products?code=A')).body;
    expect(product).toMatchObject({ images: [image], variants: [{ images: [image] }] });
    expect(await reportUsages({ ...makePage(), fields: [{ field: 'body', url: image_url }] })).toEqual([]);
    expect(await listBroken()).toEqual([]);
  });
});

describe('the image of a location', () => {
  it('has a usage for every location that shows it', async () => {
    const file = await addFile('a.jpg');
    const store = { name: 'Store', latitude: 1, longitude: 1, image_url: urlOf('a.jpg') };
    const app_locations = [
      { ...store, code: '1' },
      { ...store, code: '2', image_url: urlOf('b.jpg') },
      { ...store, code: '3' },
      { ...store, code: '2' },
    ];
    const { body } = await shop.post('/int/app_locations', { app_locations });
    const ids = [body.data[0].id, body.data[1].id, body.data[2].id].map(String);
    expect((await usagesOf(file)).map((usage) => usage.entity_id)).toEqual(ids);
    expect(await listBroken()).toEqual([]);
  });
});

describe('a bulk call', () => {
  const makeProducts = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => ({
      code: `P${index}`,
      name: 'Boot',
      images: makeImages(name),
      variants: [{ code: `P${index}-1`, images: makeImages(name) }],
    }));
  const makeLocations = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => ({
      code: `L${index}`,
      name: 'Store',
      latitude: 1,
      longitude: 1,
      image_url: urlOf(name),
    }));
  const countStatements = async (call: () => Promise<Reply>): Promise<number> => {
    api.statements.length = 0;
    expect((await call()).status).toBe(200);
    return api.statements.length;
  };
  const countUsages = async (file: number) => (await usagesOf(file, '?limit=1'))[0]?.total_count ?? 0;

  it.each([
    ['products', (rows: object[]) => shop.post('/int/products', { products: rows }), makeProducts, [2, 6_006]],
    [
      'locations',
      (rows: object[]) => shop.post('/int/app_locations', { app_locations: rows }),
      makeLocations,
      [1, 3_000],
    ],
  ] as const)('records usages of 3,000 %s with as many statements as for two', async (_, post, rows, expected) => {
    const [a, b] = [await addFile('a.jpg'), await addFile('b.jpg')];
    await post(rows(1, 'a.jpg'));
    expect(await countUsages(a)).toBe(expected[0]);
    const statementCount = await countStatements(() => post(rows(2, 'a.jpg')));
    expect(await countStatements(() => post(rows(3_000, 'a.jpg')))).toBe(statementCount);
    expect(await countUsages(a)).toBe(expected[1]);
    expect(await countStatements(() => post(rows(3_000, 'b.jpg')))).toBeLessThanOrEqual(statementCount);
    expect(await countUsages(b)).toBe(rows === makeProducts ? 6_000 : 3_000);
    expect(await countUsages(a)).toBe(rows === makeProducts ? expected[1] : 0);
  });

  it('records no usages for failed rows or in a dry run', async () => {
    const file = await addFile('a.jpg');
    await upsertProduct({ images: makeImages('a.jpg') }, '?dry_run=true');
    await shop.post('/int/products', { products: [{ code: 'A', name: '', images: makeImages('a.jpg') }] });
    await upsertLocation({ image_url: urlOf('a.jpg'), latitude: 91 });
    expect(await usagesOf(file)).toEqual([]);
  });

  it('records usages once per Idempotency-Key', async () => {
    const file = await addFile('a.jpg');
    const call = () => shop.keyed('k').post('/int/products', { products: makeProducts(1, 'a.jpg') });
    expect((await call()).text).toBe((await call()).text);
    expect(await countUsages(file)).toBe(2);
  });
});

describe('PUT /cdn/usages', () => {
  it('records and returns the usages of an entity of the client', async () => {
    const file = await addFile('a.jpg');
    const fields = [
      { field: 'hero', url: urlOf('a.jpg?v=2') },
      { field: 'body', url: 'https://elsewhere.example/a.jpg' },
      { field: 'body', url: urlOf('b@320.jpg') },
      { field: 'body', url: urlOf('a.jpg') },
    ];
    const entity = { entity_type: 'page', entity_id: 'home', label: 'Home page' };
    const commonFields = { ...entity, total_count: 3 };
    expect(await reportUsages({ ...entity, fields })).toEqual([
      { ...commonFields, field: 'hero', url: urlOf('a.jpg?v=2') },
      { ...commonFields, field: 'body', url: urlOf('b@320.jpg') },
      { ...commonFields, field: 'body', url: urlOf('a.jpg') },
    ]);
    expect(await usagesOf(file)).toEqual([
      { ...entity, field: 'hero', url: urlOf('a.jpg?v=2'), total_count: 2 },
      { ...entity, field: 'body', url: urlOf('a.jpg'), total_count: 2 },
    ]);
  });

  it('removes the usages of an entity without fields', async () => {
    const file = await addFile('a.jpg');
    await reportUsages(makePage('a.jpg'));
    expect(await reportUsages(makePage())).toEqual([]);
    expect(await usagesOf(file)).toEqual([]);
  });

  it('accepts an entity without a label', async () => {
    const { label: _, ...unlabelledPage } = makePage('a.jpg');
    expect(await reportUsages(unlabelledPage)).toMatchObject([{ label: null }]);
    expect(await listBroken()).toMatchObject([{ label: null }]);
  });

  it('does not change usages of another app', async () => {
    const file = await addFile('a.jpg');
    await reportUsages(makePage('a.jpg'));
    const otherApp = await api.app();
    expect(dataOf(await putUsage({ ...makePage('a.jpg'), fields: [] }, otherApp))).toEqual([]);
    expect(dataOf(await putUsage(makePage('a.jpg'), otherApp))).toEqual([]);
    expect(relativeUrls(await usagesOf(file))).toEqual(['a.jpg']);
  });

  it.each([
    ['entity_type of products', { entity_type: 'product' }, 'entity_type', 'is invalid'],
    ['entity_type of variants', { entity_type: 'product_variant' }, 'entity_type', 'is invalid'],
    ['entity_type of locations', { entity_type: 'app_location' }, 'entity_type', 'is invalid'],
    ['no entity_type', { entity_type: undefined }, 'entity_type', "can't be blank"],
    ['a blank entity_id', { entity_id: ' ' }, 'entity_id', "can't be blank"],
    ['a long label', { label: 'x'.repeat(256) }, 'label', 'is too long'],
    ['no fields', { fields: undefined }, 'fields', "can't be blank"],
    [
      '1,001 fields',
      { fields: Array.from({ length: 1_001 }, () => ({ field: 'f', url: 'u' })) },
      'fields',
      'is too long',
    ],
    ['an unnamed field', { fields: [{ url: 'u' }] }, 'fields.0.field', "can't be blank"],
    ['a long URL', { fields: [{ field: 'f', url: 'u'.repeat(2_049) }] }, 'fields.0.url', 'is too long'],
  ])('refuses %s and changes nothing', async (_, change, name, message) => {
    const file = await addFile('a.jpg');
    await reportUsages(makePage('a.jpg'));
    await upsertProduct({ images: makeImages('a.jpg') });
    const { status, body } = await putUsage({ ...makePage('b.jpg'), ...change });
    expect([status, body]).toEqual([422, { errors: { [name]: [message] } }]);
    expect(relativeUrls(await usagesOf(file))).toEqual(['a.jpg', 'a.jpg']);
  });

  it('records 1,000 fields with as many statements as one field', async () => {
    const file = await addFile('a.jpg');
    api.statements.length = 0;
    await reportUsages(makePage('a.jpg'));
    const { length } = api.statements;
    expect(await reportUsages(makePage(...Array<string>(1_000).fill('a.jpg')))).toHaveLength(1_000);
    expect(api.statements).toHaveLength(2 * length);
    expect(await usagesOf(file, '?limit=10000')).toHaveLength(1_000);
  });
});

describe('GET /cdn/files/{id}/usages', () => {
  it('returns usages in the order in which they were recorded, 30 per page by default', async () => {
    const file = await addFile('a.jpg');
    const names = Array.from({ length: 35 }, (_, index) => `a.jpg?v=${index}`);
    await reportUsages(makePage(...names));
    const listUrls = async (query: string) => relativeUrls(await usagesOf(file, query));
    expect(await listUrls('')).toEqual(names.slice(0, 30));
    expect(await listUrls('?offset=30')).toEqual(names.slice(30));
    expect(await listUrls('?offset=2&limit=3')).toEqual(names.slice(2, 5));
    expect(await listUrls('?limit=99999')).toEqual(names);
    expect(await listUrls('?offset=35')).toEqual([]);
    for (const value of ['0', '-1', 'x', '1.5', '', '%00']) {
      expect(await listUrls(`?limit=${value}`)).toEqual(names.slice(0, 30));
    }
    expect(new Set((await usagesOf(file, '?offset=2&limit=3')).map((usage) => usage.total_count))).toEqual(
      new Set([35]),
    );
  });

  it('limits pages to 10,000 usages', async () => {
    const file = await addFile('a.jpg');
    await api.database.rows(
      `insert into cdn_usages (app_id, key, entity_type, entity_id, field, url, inserted_at)
       select $1, $2, 'page', n::text, 'body', 'u', now() from generate_series(1, 10001) as n`,
      [shop.appId, `${await prefixOf(shop)}/a.jpg`],
    );
    const usages = await usagesOf(file, '?limit=20000');
    expect([usages.length, usages[0]?.total_count]).toEqual([10_000, 10_001]);
  });

  it('returns nothing for an upload in progress', async () => {
    await reportUsages(makePage('a.jpg'));
    expect(await usagesOf(await addFile('a.jpg', 'receiving'))).toEqual([]);
  });

  it('finds a URL that was stored before its file', async () => {
    await upsertProduct({ images: makeImages('later.jpg') });
    expect(relativeUrls(await listBroken())).toEqual(['later.jpg']);
    expect(relativeUrls(await usagesOf(await addFile('later.jpg')))).toEqual(['later.jpg']);
    expect(await listBroken()).toEqual([]);
  });

  it('shows the usages of a file in Trash', async () => {
    await reportUsages(makePage('a.jpg'));
    expect(relativeUrls(await usagesOf(await addFile('a.jpg', 'trashed')))).toEqual(['a.jpg']);
  });

  it('treats the id of a client’s entity as text', async () => {
    const file = await addFile('a.jpg');
    await upsertProduct({ images: makeImages('a.jpg') });
    await reportUsages({ ...makePage('a.jpg'), entity_id: "9'.e" });
    expect((await usagesOf(file)).map(({ label }) => label)).toEqual(['Boot', 'Home']);
  });
});

describe('GET /cdn/usages/broken', () => {
  it('lists URLs of missing and purged files, but not of files in Trash', async () => {
    const purgedId = await addFile('gone.jpg');
    await addFile('active.jpg');
    await addFile('trashed.jpg', 'trashed');
    await addFile('receiving.jpg', 'receiving');
    const names = ['active.jpg', 'gone@320.jpg?v=2', 'never.jpg', 'receiving.jpg', 'trashed.jpg'];
    const { id } = await upsertProduct({ images: makeImages(...names) });
    expect(relativeUrls(await listBroken())).toEqual(['never.jpg', 'receiving.jpg']);
    await purge(purgedId, 'gone.jpg');
    const commonFields = {
      entity_type: 'product',
      entity_id: String(id),
      field: 'images',
      label: 'Boot',
      total_count: 3,
    };
    expect(await listBroken()).toEqual(
      ['gone@320.jpg?v=2', 'never.jpg', 'receiving.jpg'].map((name) => ({ ...commonFields, url: urlOf(name) })),
    );
  });

  it('ignores usages and files of other apps', async () => {
    await reportUsages(makePage('a.jpg'));
    const otherApp = await api.app();
    expect(await listBroken('', otherApp)).toEqual([]);
    await api.database.rows(
      `insert into cdn_files (app_id, state, key, filename, kind, mime, size, content, last_modified, inserted_at)
       values ($1, 'active', $2, 'a.jpg', 'image', 'image/png', 1, 'o', now(), now())`,
      [otherApp.appId, `${await prefixOf(shop)}/a.jpg`],
    );
    expect(relativeUrls(await listBroken())).toEqual(['a.jpg']);
  });

  it('groups the URLs of each file', async () => {
    await reportUsages(makePage('b.jpg', 'a.jpg', 'b@320.jpg', 'a.jpg?v=2'));
    expect(relativeUrls(await listBroken())).toEqual(['a.jpg', 'a.jpg?v=2', 'b.jpg', 'b@320.jpg']);
    expect(relativeUrls(await listBroken('?offset=1&limit=2'))).toEqual(['a.jpg?v=2', 'b.jpg']);
    expect((await listBroken('?offset=1&limit=2')).map((usage) => usage.total_count)).toEqual([4, 4]);
    await reportUsages(makePage(...Array.from({ length: 31 }, (_, index) => `${index}.jpg`)));
    expect(await listBroken('?offset=x&limit=0')).toHaveLength(30);
  });

  describe('with search', () => {
    beforeEach(async () => {
      await upsertProduct({ name: 'Summer 100% wool', images: makeImages('one.jpg') });
      await upsertLocation({ name: 'Shop_in Niš', image_url: urlOf('two.jpg') });
      await reportUsages({ ...makePage('three%20of%20them.jpg'), entity_id: 'landing/5', label: 'Wool week' });
      await reportUsages({ ...makePage('four@640.jpg'), entity_type: 'banner', label: null });
    });

    it.each([
      ['by the label of a client’s entity', 'WEEK', ['three%20of%20them.jpg']],
      ['by the name of a record', 'wool', ['one.jpg', 'three%20of%20them.jpg']],
      ['by a name in another case', 'NIŠ', ['two.jpg']],
      ['by the URL', '@640', ['four@640.jpg']],
      ['by the entity type', 'app_loc', ['two.jpg']],
      ['by the entity id', 'landing/5', ['three%20of%20them.jpg']],
      ['by the missing key', 'three of them', ['three%20of%20them.jpg']],
      ['% literally', '100% w', ['one.jpg']],
      ['_ literally', 'p_in', ['two.jpg']],
      ['nothing by an unmatched _', 'w_ol', []],
      ['nothing by a backslash', '\\', []],
      ['by a trimmed text', '  week ', ['three%20of%20them.jpg']],
      ['all by a blank text', '  ', ['four@640.jpg', 'one.jpg', 'three%20of%20them.jpg', 'two.jpg']],
    ])('finds %s', async (_, search, expected) => {
      const usages = await listBroken(`?search=${encodeURIComponent(search)}`);
      expect(relativeUrls(usages)).toEqual(expected);
      expect(usages.map((usage) => usage.total_count)).toEqual(expected.map(() => expected.length));
    });

    it.each(['search=%00', 'search=a%00b', 'search[]=a', 'search[x]=a', 'search=a&search=b'])(
      'ignores an invalid search: %s',
      async (query) => {
        expect(await listBroken(`?${query}`)).toHaveLength(4);
      },
    );
  });
});

describe('among 200,000 usages of many apps', () => {
  const APP_COUNT = 20;
  const USAGES_PER_APP = 10_000;
  const keySql = (name: string) => `'many/' || ${name} || '.jpg'`;
  let shops: readonly Client[];

  beforeAll(async () => {
    shops = await Promise.all(Array.from({ length: APP_COUNT }, () => api.app()));
    const ids = shops.map(({ appId }) => appId);
    await loadRows(
      api.url,
      'cdn_files',
      `insert into cdn_files (app_id, state, key, filename, kind, mime, size, content, last_modified, inserted_at)
       select app, 'active', ${keySql('n')}, n::text, 'image', 'image/png', 1, 'o', now(), now()
       from unnest($1::bigint[]) as app, generate_series(1, ${USAGES_PER_APP / 4}) as n`,
      [ids],
    );
    await loadRows(
      api.url,
      'cdn_usages',
      `insert into cdn_usages (app_id, key, entity_type, entity_id, field, label, url, inserted_at)
       select app, ${keySql(`n % ${USAGES_PER_APP / 4 + 1}`)}, 'page', n::text, 'body', 'Page ' || n, 'url', now()
       from unnest($1::bigint[]) as app, generate_series(1, ${USAGES_PER_APP}) as n`,
      [ids],
    );
  }, 60_000);

  const planOfCall = async (values: readonly unknown[], call: () => Promise<unknown>): Promise<string> => {
    api.statements.length = 0;
    await call();
    const text = api.statements.find((statement) => statement.includes('cdn_usages')) as string;
    return explainStatement(api.database, text, values);
  };

  it('finds the usages of a file by index', async () => {
    const [client] = shops as [Client];
    const [file] = await api.database.rows<{ id: number }>('select max(id) as id from cdn_files where app_id = $1', [
      client.appId,
    ]);
    const id = file?.id as number;
    const plan = await planOfCall([client.appId, 0, 30, id], () => usagesOf(id, '', client));
    expect(plan).toMatch(/Index Only Scan using cdn_usages_key_idx .*\n.*Index Cond: .*app_id.* AND .*key = /);
    expect(plan).not.toContain('Seq Scan');
  });

  it('finds broken usages without reading other apps', async () => {
    const [client] = shops as [Client];
    expect(await listBroken('', client)).toMatchObject([{ total_count: 3 }, {}, {}]);
    for (const [query, values] of [
      ['', []],
      ['?search=page', ['%page%']],
    ] as const) {
      const plan = await planOfCall([client.appId, 0, 30, ...values], () => listBroken(query, client));
      expect(plan).toMatch(/(Hash|Merge) Full Join/);
      expect(plan).not.toMatch(/Seq Scan on (cdn_usages|cdn_files)/);
    }
  });
});
