import { TOKENS } from '../tokens.js';
import { loadRows } from '../testing/load-rows.js';
import { planOf } from '../testing/plan-of.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;
let place: string;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  place = await placeOf(shop);
});

/** 5,700 bytes that no compression makes fewer. */
const FITS_INTO_NO_INDEX = String.fromCodePoint(...Array.from({ length: 1_900 }, (_, index) => 0x4e00 + index * 11));

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
/** What the public addresses of an app's files begin with. */
const placeOf = async (client: Client): Promise<string> =>
  `${api.container.get(TOKENS.Library).library.base}/${await prefixOf(client)}`;
/** The public address of a file by its name. */
const at = (name: string): string => `${place}/${name}`;

const keep = async (name: string, state = 'active', client = shop): Promise<number> => {
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

const listed = ({ status, body }: Reply): Usage[] => {
  expect([status, Object.keys(body)]).toEqual([200, ['data']]);
  return body.data;
};
const usagesOf = async (id: number | string, query = '', client = shop) =>
  listed(await client.get(`/cdn/files/${id}/usages${query}`));
const broken = async (query = '', client = shop) => listed(await client.get(`/cdn/usages/broken${query}`));
const urls = (usages: readonly Usage[]) => usages.map(({ url }) => url.slice(place.length + 1));

const put = (usage: object, client = shop) => client.put('/cdn/usages', { usage });
const page = (...names: readonly string[]) => ({
  entity_type: 'page',
  entity_id: 'home',
  label: 'Home',
  fields: names.map((name) => ({ field: 'body', url: at(name) })),
});
const report = async (usage: object): Promise<Usage[]> => listed(await put(usage));

const images = (...names: readonly string[]) => names.map((name) => ({ image_url: at(name) }));
const product = async (more: object, query = '') => {
  const products = [{ code: 'A', name: 'Boot', ...more }];
  const { body } = await shop.post(`/int/products${query}`, { products });
  expect(body.data.failed).toEqual([]);
  return body.data.products[0];
};
const location = async (more: object) => {
  const app_locations = [{ code: 'S', name: 'Store', latitude: 1, longitude: 1, ...more }];
  return (await shop.post('/int/app_locations', { app_locations })).body.data[0];
};

describe('a usage of a library file', () => {
  it('is recorded for the images of a product and of its variants, at once', async () => {
    const file = await keep('a.jpg');
    const variants = [
      { code: 'A-1', name: 'Size 42', images: images('a.jpg') },
      { code: 'A-2', images: images('a.jpg') },
    ];
    const { id, variants: made } = await product({ images: images('a.jpg', 'other.jpg'), variants });
    const use = { field: 'images', url: at('a.jpg'), total_count: 3 };
    expect(await usagesOf(file)).toEqual([
      { entity_type: 'product', entity_id: String(id), label: 'Boot', ...use },
      { entity_type: 'product_variant', entity_id: String(made[0].id), label: 'Size 42', ...use },
      { entity_type: 'product_variant', entity_id: String(made[1].id), label: 'Boot', ...use },
    ]);
  });

  it('is recorded for the image of a location', async () => {
    const file = await keep('a.jpg');
    const { id } = await location({ image_url: at('a.jpg') });
    expect(await usagesOf(file)).toEqual([
      {
        entity_type: 'app_location',
        entity_id: String(id),
        field: 'image_url',
        label: 'Store',
        url: at('a.jpg'),
        total_count: 1,
      },
    ]);
  });

  it('is one per place that holds the URL: an image that is appended again is a second one', async () => {
    const file = await keep('a.jpg');
    await product({ images: images('a.jpg', 'a.jpg') });
    await product({ images: images('a.jpg') });
    expect((await usagesOf(file)).map((usage) => usage.total_count)).toEqual([3, 3, 3]);
    expect((await shop.get('/products?code=A')).body.data.images).toHaveLength(3);
  });

  it('is counted by the file', async () => {
    const file = await keep('a.jpg');
    await product({ images: images('a.jpg', 'a@320.jpg') });
    await location({ image_url: at('a.jpg?v=2') });
    await report(page('a.jpg', 'b.jpg'));
    expect((await shop.get(`/cdn/files/${file}`)).body.data.usage_count).toBe(4);
  });

  it('bears the names that its record has now', async () => {
    const file = await keep('a.jpg');
    await product({ images: images('a.jpg'), variants: [{ code: 'A-1', name: 'Old', images: images('a.jpg') }] });
    await location({ image_url: at('a.jpg') });
    await product({ name: 'Sandal', variants: [{ code: 'A-1', name: 'New' }] });
    await location({ name: 'Shop' });
    expect((await usagesOf(file)).map(({ label }) => label)).toEqual(['Sandal', 'New', 'Shop']);
    await product({ variants: [{ code: 'A-1', name: '' }] });
    expect((await usagesOf(file)).map(({ label }) => label)).toEqual(['Boot', 'Boot', 'Shop']);
  });

  it.each([
    ['with ?v=', 'shoes/a.jpg?v=7'],
    ['of a rendition', 'shoes/a@320.jpg'],
    ['of a rendition with ?v=', 'shoes/a@320.jpg?v=7'],
    ['of a kept version', 'shoes/a@v2.jpg'],
    ['of a page', 'shoes/a.jpg@p3.webp'],
  ])('counts for its file when the URL is one %s, and shows it as it is stored', async (_, name) => {
    const file = await keep('shoes/a.jpg');
    await product({ images: images(name) });
    expect(urls(await usagesOf(file))).toEqual([name]);
  });

  it.each([
    ['an outside URL', () => 'https://shop.example/a.jpg'],
    ['a URL that only begins like the library’s', () => `${place}x/a.jpg`],
    ['a URL whose key no record can hold', () => at('a%00.jpg')],
    ['a URL whose key fits into no index', () => at(FITS_INTO_NO_INDEX)],
  ])('is nothing that %s makes, wherever it is stored', async (_, urlOf) => {
    const image_url = urlOf();
    await product({ images: [{ image_url }], variants: [{ code: 'A-1', images: [{ image_url }] }] });
    expect((await location({ image_url })).image_url).toBe(image_url);
    expect((await shop.get('/products?code=A')).body.data.images).toHaveLength(2);
    expect(await report({ ...page(), fields: [{ field: 'body', url: image_url }] })).toEqual([]);
    expect(await broken()).toEqual([]);
  });
});

describe('the image of a location', () => {
  it('that changes or is removed takes its usage along, and one that stays keeps it', async () => {
    const [a, b] = [await keep('a.jpg'), await keep('b.jpg')];
    const seen = async () => [urls(await usagesOf(a)), urls(await usagesOf(b))];
    await location({ image_url: at('a.jpg') });
    await location({ city: 'Niš' });
    await location({ image_url: at('a.jpg') });
    expect(await seen()).toEqual([['a.jpg'], []]);
    await location({ image_url: at('a.jpg?v=2') });
    expect(await seen()).toEqual([['a.jpg?v=2'], []]);
    await location({ image_url: at('b@320.jpg') });
    expect(await seen()).toEqual([[], ['b@320.jpg']]);
    await location({ image_url: 'https://shop.example/a.jpg' });
    expect(await seen()).toEqual([[], []]);
    await location({ image_url: at('a.jpg') });
    await location({ image_url: null });
    expect(await seen()).toEqual([[], []]);
  });

  it('shared by several is used by each of them', async () => {
    const file = await keep('a.jpg');
    const at42 = { name: 'Store', latitude: 1, longitude: 1, image_url: at('a.jpg') };
    const app_locations = [
      { ...at42, code: '1' },
      { ...at42, code: '2', image_url: at('b.jpg') },
      { ...at42, code: '3' },
      { ...at42, code: '2' },
    ];
    const { body } = await shop.post('/int/app_locations', { app_locations });
    const ids = [body.data[0].id, body.data[1].id, body.data[2].id].map(String);
    expect((await usagesOf(file)).map((usage) => usage.entity_id)).toEqual(ids);
    expect(await broken()).toEqual([]);
  });
});

describe('a bulk call records usages', () => {
  const products = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => ({
      code: `P${index}`,
      name: 'Boot',
      images: images(name),
      variants: [{ code: `P${index}-1`, images: images(name) }],
    }));
  const locations = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => ({
      code: `L${index}`,
      name: 'Store',
      latitude: 1,
      longitude: 1,
      image_url: at(name),
    }));
  const statementsOf = async (call: () => Promise<Reply>): Promise<number> => {
    api.statements.length = 0;
    expect((await call()).status).toBe(200);
    return api.statements.length;
  };
  const total = async (file: number) => (await usagesOf(file, '?limit=1'))[0]?.total_count ?? 0;

  it.each([
    ['products', (rows: object[]) => shop.post('/int/products', { products: rows }), products, [2, 6_006]],
    ['locations', (rows: object[]) => shop.post('/int/app_locations', { app_locations: rows }), locations, [1, 3_000]],
  ] as const)(
    'of 3,000 %s, new and known ones, with as many statements as of one of each',
    async (_, post, rows, expected) => {
      const [a, b] = [await keep('a.jpg'), await keep('b.jpg')];
      await post(rows(1, 'a.jpg'));
      expect(await total(a)).toBe(expected[0]);
      const oneOfEach = await statementsOf(() => post(rows(2, 'a.jpg')));
      expect(await statementsOf(() => post(rows(3_000, 'a.jpg')))).toBe(oneOfEach);
      expect(await total(a)).toBe(expected[1]);
      expect(await statementsOf(() => post(rows(3_000, 'b.jpg')))).toBeLessThanOrEqual(oneOfEach);
      expect(await total(b)).toBe(rows === products ? 6_000 : 3_000);
      expect(await total(a)).toBe(rows === products ? expected[1] : 0);
    },
  );

  it('of what it has written only: not of a row that failed, and none in a dry run', async () => {
    const file = await keep('a.jpg');
    await product({ images: images('a.jpg') }, '?dry_run=true');
    await shop.post('/int/products', { products: [{ code: 'A', name: '', images: images('a.jpg') }] });
    await location({ image_url: at('a.jpg'), latitude: 91 });
    expect(await usagesOf(file)).toEqual([]);
  });

  it('once for a call that is repeated with its Idempotency-Key', async () => {
    const file = await keep('a.jpg');
    const call = () => shop.keyed('k').post('/int/products', { products: products(1, 'a.jpg') });
    expect((await call()).text).toBe((await call()).text);
    expect(await total(file)).toBe(2);
  });
});

describe('PUT /cdn/usages', () => {
  it('records where an entity of the client uses files, and answers what is recorded', async () => {
    const file = await keep('a.jpg');
    const fields = [
      { field: 'hero', url: at('a.jpg?v=2') },
      { field: 'body', url: 'https://elsewhere.example/a.jpg' },
      { field: 'body', url: at('b@320.jpg') },
      { field: 'body', url: at('a.jpg') },
    ];
    const entity = { entity_type: 'page', entity_id: 'home', label: 'Home page' };
    const use = { ...entity, total_count: 3 };
    expect(await report({ ...entity, fields })).toEqual([
      { ...use, field: 'hero', url: at('a.jpg?v=2') },
      { ...use, field: 'body', url: at('b@320.jpg') },
      { ...use, field: 'body', url: at('a.jpg') },
    ]);
    expect(await usagesOf(file)).toEqual([
      { ...entity, field: 'hero', url: at('a.jpg?v=2'), total_count: 2 },
      { ...entity, field: 'body', url: at('a.jpg'), total_count: 2 },
    ]);
  });

  it('replaces all that was recorded of the entity, and of no other', async () => {
    const file = await keep('a.jpg');
    await report(page('a.jpg', 'a.jpg'));
    await report({ ...page('a.jpg'), entity_id: 'Home' });
    await report({ ...page('a.jpg'), entity_type: 'banner' });
    const named = async () => (await usagesOf(file)).map((usage) => `${usage.entity_type} ${usage.entity_id}`);
    expect(await named()).toEqual(['page home', 'page home', 'page Home', 'banner home']);
    await report(page('b.jpg'));
    expect(await named()).toEqual(['page Home', 'banner home']);
  });

  it('with no fields forgets the entity', async () => {
    const file = await keep('a.jpg');
    await report(page('a.jpg'));
    expect(await report(page())).toEqual([]);
    expect(await usagesOf(file)).toEqual([]);
  });

  it('takes an entity without a label', async () => {
    const { label: _, ...unlabelled } = page('a.jpg');
    expect(await report(unlabelled)).toMatchObject([{ label: null }]);
    expect(await broken()).toMatchObject([{ label: null }]);
  });

  it('of another app leaves this one alone', async () => {
    const file = await keep('a.jpg');
    await report(page('a.jpg'));
    const stranger = await api.app();
    expect(listed(await put({ ...page('a.jpg'), fields: [] }, stranger))).toEqual([]);
    expect(listed(await put(page('a.jpg'), stranger))).toEqual([]);
    expect(urls(await usagesOf(file))).toEqual(['a.jpg']);
  });

  it.each([
    [
      'entity_type of products, which the service records itself',
      { entity_type: 'product' },
      'entity_type',
      'is invalid',
    ],
    ['entity_type of variants', { entity_type: 'product_variant' }, 'entity_type', 'is invalid'],
    ['entity_type of locations', { entity_type: 'app_location' }, 'entity_type', 'is invalid'],
    ['no entity_type', { entity_type: undefined }, 'entity_type', "can't be blank"],
    ['a blank entity_id', { entity_id: ' ' }, 'entity_id', "can't be blank"],
    ['a long label', { label: 'x'.repeat(256) }, 'label', 'is too long'],
    ['no fields at all', { fields: undefined }, 'fields', "can't be blank"],
    [
      '1,001 fields',
      { fields: Array.from({ length: 1_001 }, () => ({ field: 'f', url: 'u' })) },
      'fields',
      'is too long',
    ],
    ['a field without a name', { fields: [{ url: 'u' }] }, 'fields.0.field', "can't be blank"],
    ['a long URL', { fields: [{ field: 'f', url: 'u'.repeat(2_049) }] }, 'fields.0.url', 'is too long'],
  ])('is refused with %s, and changes nothing', async (_, wrong, name, message) => {
    const file = await keep('a.jpg');
    await report(page('a.jpg'));
    await product({ images: images('a.jpg') });
    const { status, body } = await put({ ...page('b.jpg'), ...wrong });
    expect([status, body]).toEqual([422, { errors: { [name]: [message] } }]);
    expect(urls(await usagesOf(file))).toEqual(['a.jpg', 'a.jpg']);
  });

  it('takes 1,000 fields with as many statements as one', async () => {
    const file = await keep('a.jpg');
    api.statements.length = 0;
    await report(page('a.jpg'));
    const { length } = api.statements;
    expect(await report(page(...Array<string>(1_000).fill('a.jpg')))).toHaveLength(1_000);
    expect(api.statements).toHaveLength(2 * length);
    expect(await usagesOf(file, '?limit=10000')).toHaveLength(1_000);
  });

  it('that comes many times at once ends with all of one call and nothing of the others', async () => {
    const names = (call: number) => Array.from({ length: 40 }, (_, index) => `${call}-${index}.jpg`);
    for (const round of [1, 2]) {
      const calls = Array.from({ length: 20 }, (_, call) => round * 100 + call);
      api.statements.length = 0;
      const replies = await Promise.all(calls.map((call) => put(page(...names(call)))));
      expect(replies.map(({ body }) => body.data.length)).toEqual(calls.map(() => 40));
      // The transaction of a deadlock would have run again.
      expect(api.statements.filter((text) => text.includes('insert into cdn_usages'))).toHaveLength(20);
      const left = urls(await broken('?limit=10000')).toSorted();
      expect(calls.map((call) => names(call).toSorted())).toContainEqual(left);
    }
  });
});

describe('GET /cdn/files/{id}/usages', () => {
  it('is paged in the order in which the uses were recorded: 30 by default, at most 10,000', async () => {
    const file = await keep('a.jpg');
    const names = Array.from({ length: 35 }, (_, index) => `a.jpg?v=${index}`);
    await report(page(...names));
    const seen = async (query: string) => urls(await usagesOf(file, query));
    expect(await seen('')).toEqual(names.slice(0, 30));
    expect(await seen('?offset=30')).toEqual(names.slice(30));
    expect(await seen('?offset=2&limit=3')).toEqual(names.slice(2, 5));
    expect(await seen('?limit=99999')).toEqual(names);
    expect(await seen('?offset=35')).toEqual([]);
    for (const value of ['0', '-1', 'x', '1.5', '', '%00']) {
      expect(await seen(`?limit=${value}`)).toEqual(names.slice(0, 30));
    }
    expect(new Set((await usagesOf(file, '?offset=2&limit=3')).map((usage) => usage.total_count))).toEqual(
      new Set([35]),
    );
  });

  it('clamps the page at 10,000', async () => {
    const file = await keep('a.jpg');
    await api.database.rows(
      `insert into cdn_usages (app_id, key, entity_type, entity_id, field, url, inserted_at)
       select $1, $2, 'page', n::text, 'body', 'u', now() from generate_series(1, 10001) as n`,
      [shop.appId, `${await prefixOf(shop)}/a.jpg`],
    );
    const usages = await usagesOf(file, '?limit=20000');
    expect([usages.length, usages[0]?.total_count]).toEqual([10_000, 10_001]);
  });

  it('of a file that is not in the app is an empty list', async () => {
    const file = await keep('a.jpg');
    await report(page('a.jpg'));
    expect(await usagesOf(file, '', await api.app())).toEqual([]);
    for (const id of [file + 1_000_000, '9'.repeat(30), '0', '-1', 'x', '1.5']) {
      expect(await usagesOf(id)).toEqual([]);
    }
  });

  it('of a file that is still being received is an empty list', async () => {
    await report(page('a.jpg'));
    expect(await usagesOf(await keep('a.jpg', 'receiving'))).toEqual([]);
  });

  it('shows a URL that was stored before its file was there', async () => {
    await product({ images: images('later.jpg') });
    expect(urls(await broken())).toEqual(['later.jpg']);
    expect(urls(await usagesOf(await keep('later.jpg')))).toEqual(['later.jpg']);
    expect(await broken()).toEqual([]);
  });

  it('shows the uses of a file in Trash, too', async () => {
    await report(page('a.jpg'));
    expect(urls(await usagesOf(await keep('a.jpg', 'trashed')))).toEqual(['a.jpg']);
  });

  it('takes the id of a client’s entity for a text, whatever it looks like', async () => {
    const file = await keep('a.jpg');
    await product({ images: images('a.jpg') });
    await report({ ...page('a.jpg'), entity_id: "9'.e" });
    expect((await usagesOf(file)).map(({ label }) => label)).toEqual(['Boot', 'Home']);
  });
});

describe('GET /cdn/usages/broken', () => {
  it('lists stored URLs whose file was never there or has been purged, not those of files in Trash', async () => {
    const gone = await keep('gone.jpg');
    await keep('active.jpg');
    await keep('trashed.jpg', 'trashed');
    await keep('receiving.jpg', 'receiving');
    const names = ['active.jpg', 'gone@320.jpg?v=2', 'never.jpg', 'receiving.jpg', 'trashed.jpg'];
    const { id } = await product({ images: images(...names) });
    expect(urls(await broken())).toEqual(['never.jpg', 'receiving.jpg']);
    await purge(gone, 'gone.jpg');
    const use = { entity_type: 'product', entity_id: String(id), field: 'images', label: 'Boot', total_count: 3 };
    expect(await broken()).toEqual(
      ['gone@320.jpg?v=2', 'never.jpg', 'receiving.jpg'].map((name) => ({ ...use, url: at(name) })),
    );
  });

  it('shows nothing of another app, neither its uses nor its files', async () => {
    await report(page('a.jpg'));
    const stranger = await api.app();
    expect(await broken('', stranger)).toEqual([]);
    await api.database.rows(
      `insert into cdn_files (app_id, state, key, filename, kind, mime, size, content, last_modified, inserted_at)
       values ($1, 'active', $2, 'a.jpg', 'image', 'image/png', 1, 'o', now(), now())`,
      [stranger.appId, `${await prefixOf(shop)}/a.jpg`],
    );
    expect(urls(await broken())).toEqual(['a.jpg']);
  });

  it('is paged, and those of one missing file stand together', async () => {
    await report(page('b.jpg', 'a.jpg', 'b@320.jpg', 'a.jpg?v=2'));
    expect(urls(await broken())).toEqual(['a.jpg', 'a.jpg?v=2', 'b.jpg', 'b@320.jpg']);
    expect(urls(await broken('?offset=1&limit=2'))).toEqual(['a.jpg?v=2', 'b.jpg']);
    expect((await broken('?offset=1&limit=2')).map((usage) => usage.total_count)).toEqual([4, 4]);
    await report(page(...Array.from({ length: 31 }, (_, index) => `${index}.jpg`)));
    expect(await broken('?offset=x&limit=0')).toHaveLength(30);
  });

  describe('with search', () => {
    beforeEach(async () => {
      await product({ name: 'Summer 100% wool', images: images('one.jpg') });
      await location({ name: 'Shop_in Niš', image_url: at('two.jpg') });
      await report({ ...page('three%20of%20them.jpg'), entity_id: 'landing/5', label: 'Wool week' });
      await report({ ...page('four@640.jpg'), entity_type: 'banner', label: null });
    });

    it.each([
      ['in the label of a client’s entity', 'WEEK', ['three%20of%20them.jpg']],
      ['in the name of a record', 'wool', ['one.jpg', 'three%20of%20them.jpg']],
      ['in a name, whatever the case', 'NIŠ', ['two.jpg']],
      ['in the URL', '@640', ['four@640.jpg']],
      ['in the entity type', 'app_loc', ['two.jpg']],
      ['in the entity id', 'landing/5', ['three%20of%20them.jpg']],
      ['in the key of the missing file', 'three of them', ['three%20of%20them.jpg']],
      ['%, which means itself', '100% w', ['one.jpg']],
      ['_, which means itself', 'p_in', ['two.jpg']],
      ['_ in no place', 'w_ol', []],
      ['a backslash', '\\', []],
      ['with spaces around it', '  week ', ['three%20of%20them.jpg']],
      ['blank, which is none', '  ', ['four@640.jpg', 'one.jpg', 'three%20of%20them.jpg', 'two.jpg']],
    ])('finds %s', async (_, search, expected) => {
      const found = await broken(`?search=${encodeURIComponent(search)}`);
      expect(urls(found)).toEqual(expected);
      expect(found.map((usage) => usage.total_count)).toEqual(expected.map(() => expected.length));
    });

    it.each(['search=%00', 'search=a%00b', 'search[]=a', 'search[x]=a', 'search=a&search=b'])(
      'ignores one that cannot be used: %s',
      async (query) => {
        expect(await broken(`?${query}`)).toHaveLength(4);
      },
    );
  });
});

describe('among 200,000 usages of many apps', () => {
  const APPS = 20;
  const EACH = 10_000;
  const keyed = (name: string) => `'many/' || ${name} || '.jpg'`;
  let shops: readonly Client[];

  beforeAll(async () => {
    shops = await Promise.all(Array.from({ length: APPS }, () => api.app()));
    const ids = shops.map(({ appId }) => appId);
    await loadRows(
      api.url,
      'cdn_files',
      `insert into cdn_files (app_id, state, key, filename, kind, mime, size, content, last_modified, inserted_at)
       select app, 'active', ${keyed('n')}, n::text, 'image', 'image/png', 1, 'o', now(), now()
       from unnest($1::bigint[]) as app, generate_series(1, ${EACH / 4}) as n`,
      [ids],
    );
    await loadRows(
      api.url,
      'cdn_usages',
      `insert into cdn_usages (app_id, key, entity_type, entity_id, field, label, url, inserted_at)
       select app, ${keyed(`n % ${EACH / 4 + 1}`)}, 'page', n::text, 'body', 'Page ' || n, 'url', now()
       from unnest($1::bigint[]) as app, generate_series(1, ${EACH}) as n`,
      [ids],
    );
  }, 60_000);

  /** How the statement of a call is carried out. */
  const planOfCall = async (values: readonly unknown[], call: () => Promise<unknown>): Promise<string> => {
    api.statements.length = 0;
    await call();
    const text = api.statements.find((each) => each.includes('cdn_usages')) as string;
    return planOf(api.database, text, values);
  };

  it('those of a file are found by its key', async () => {
    const [client] = shops as [Client];
    const [file] = await api.database.rows<{ id: number }>('select max(id) as id from cdn_files where app_id = $1', [
      client.appId,
    ]);
    const id = file?.id as number;
    const plan = await planOfCall([client.appId, 0, 30, id], () => usagesOf(id, '', client));
    expect(plan).toMatch(/Index Only Scan using cdn_usages_key_idx .*\n.*Index Cond: .*app_id.* AND .*key = /);
    expect(plan).not.toContain('Seq Scan');
  });

  it('the broken ones of an app are found without reading what is of other apps', async () => {
    const [client] = shops as [Client];
    expect(await broken('', client)).toMatchObject([{ total_count: 3 }, {}, {}]);
    for (const [query, values] of [
      ['', []],
      ['?search=page', ['%page%']],
    ] as const) {
      const plan = await planOfCall([client.appId, 0, 30, ...values], () => broken(query, client));
      expect(plan).toMatch(/(Hash|Merge) Full Join/);
      expect(plan).not.toMatch(/Seq Scan on (cdn_usages|cdn_files)/);
    }
  });
});
