import { foldForSearch } from '@back-office/database';
import { putStock, warehouse } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
});

const product = (code: string, name: string, fields: object = {}) => ({
  code,
  name,
  variants: [{ code: `${code}-1` }],
  ...fields,
});
const postProducts = async (...products: object[]): Promise<void> => {
  const { body } = await shop.post('/int/products', { products });
  expect(body.data.failed).toEqual([]);
};
const listProducts = async (query: string): Promise<{ status: number; codes: string[] }> => {
  const { status, body } = await shop.get(`/products?${query}`);
  return { status, codes: body.data?.products?.map(({ code }: { code: string }) => code) };
};
const listCodes = async (query: string): Promise<string[]> => (await listProducts(query)).codes;
const search = (text: string, parameter = 'search') => listCodes(`${parameter}=${encodeURIComponent(text)}`);

describe('paging of GET /products', () => {
  beforeEach(() =>
    postProducts(...Array.from({ length: 25 }, (_, n) => product(`P${n}`, `Name ${String(n).padStart(2, '0')}`))),
  );
  const codesBetween = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `P${from + n}`);

  it.each([
    ['no parameters: the first 10', '', codesBetween(0, 10)],
    ['offset and limit', 'offset=20&limit=3', codesBetween(20, 23)],
    ['pageNo=3, perPage=4: as offset 8, limit 4', 'pageNo=3&perPage=4', codesBetween(8, 12)],
    ['pageNo alone', 'pageNo=2', codesBetween(10, 20)],
    ['perPage alone', 'perPage=2', codesBetween(0, 2)],
    ['a page beyond the end', 'pageNo=9', []],
    ['offset before pageNo', 'offset=1&limit=1&pageNo=3&perPage=4', codesBetween(1, 2)],
    ['unusable values: the defaults', 'offset=x&limit=-1', codesBetween(0, 10)],
    ['pageNo with an empty offset', 'offset=&pageNo=3&perPage=4', codesBetween(8, 12)],
    ['pageNo with unusable offset and limit', 'offset=-1&limit=abc&pageNo=3&perPage=4', codesBetween(8, 12)],
    ['pageNo and perPage before a limit', 'offset=x&limit=2&pageNo=3&perPage=4', codesBetween(8, 12)],
    ['pageNo with limit: its page size', 'pageNo=2&limit=3', codesBetween(3, 6)],
    ['limit before perPage without pageNo', 'limit=3&perPage=4', codesBetween(0, 3)],
    ['unusable page numbers: the defaults', 'pageNo=0&perPage=zero', codesBetween(0, 10)],
    ['a page number out of range', 'pageNo=99999999999999999999&perPage=10000', []],
  ])('returns the expected products for %s', async (_, query, expected) => {
    expect(await listCodes(query)).toEqual(expected);
  });

  it('shows each product once over all pages', async () => {
    const pages = await Promise.all([1, 2, 3, 4, 5].map((number) => listCodes(`pageNo=${number}&perPage=5`)));
    expect(pages.flat()).toEqual(codesBetween(0, 25));
  });
});

describe('sorting of GET /products', () => {
  beforeEach(async () => {
    await postProducts(
      product('C', 'Beta', { price: 30 }),
      product('A', 'Alpha', {
        price: 20,
        variants: [
          { code: 'A-1', price: 5 },
          { code: 'A-2', price: 50 },
        ],
      }),
      product('B', 'Beta', { price: 10 }),
      product('D', 'Gamma'),
    );
    api.clock.forward({ seconds: 1 });
    await postProducts(product('E', 'Delta', { price: 10 }));
    await api.database.rows(
      `insert into product_sales (app_id, product_id, quantity)
       select app_id, id, case code when 'B' then 7 else 3 end from products where app_id = $1 and code in ('B', 'E')`,
      [shop.appId],
    );
  });

  it.each([
    ['by name, ties by id', '', ['A', 'C', 'B', 'E', 'D']],
    ['name', 'name', ['A', 'C', 'B', 'E', 'D']],
    ['name desc', 'name desc', ['D', 'E', 'C', 'B', 'A']],
    ['price: the lowest of a product, missing ones last', 'price', ['A', 'B', 'E', 'C', 'D']],
    ['price desc', 'price desc', ['C', 'B', 'E', 'A', 'D']],
    ['inserted_at desc', 'inserted_at desc', ['E', 'C', 'A', 'B', 'D']],
    ['sales_quantity desc', 'sales_quantity desc', ['B', 'E', 'C', 'A', 'D']],
    ['several: name desc,price', 'name desc,price', ['D', 'E', 'B', 'C', 'A']],
    ['a space after the comma: by name', 'price, name', ['A', 'C', 'B', 'E', 'D']],
    ['DESC in capitals: by name', 'price DESC', ['A', 'C', 'B', 'E', 'D']],
    ['an unknown field: by name', 'code', ['A', 'C', 'B', 'E', 'D']],
    ['SQL: by name', '(select pg_sleep(9))', ['A', 'C', 'B', 'E', 'D']],
    ['constructor: by name', 'constructor', ['A', 'C', 'B', 'E', 'D']],
  ])('sorts products: %s', async (_, orderBy, expected) => {
    expect(await listCodes(`orderBy=${encodeURIComponent(orderBy)}`)).toEqual(expected);
  });
});

describe('GET /products?search', () => {
  beforeEach(() =>
    postProducts(
      product('LONG', 'Runner shoes for runners'),
      product('INNER', 'Forerunner watch'),
      product('WORD', 'Blue runner'),
      product('BEGINS', 'Runner Pro'),
      product('EXACT', 'Runner'),
      product('TYPO', 'Runnner mat'),
      product('OTHER', 'Boot'),
      product('PERCENT', '100% wool_socks'),
      product('LATIN', 'Ципела Šešir'),
      product('QUOTE', `Men's "best" \\ jacket`),
    ),
  );

  it('lists exact names first, then prefixes, words and similar names', async () => {
    const foundCodes = await search('runner');
    expect(foundCodes.slice(0, 4)).toEqual(['EXACT', 'BEGINS', 'LONG', 'WORD']);
    expect(foundCodes.slice(4).toSorted()).toEqual(['INNER', 'TYPO']);
  });

  it.each([
    ['case', 'RUNNER PRO', ['BEGINS']],
    ['spaces around and between', '  runner   pro ', ['BEGINS']],
    ['accents', 'sesir', ['LATIN']],
    ['the script', 'cipela', ['LATIN']],
    ['the script of the search', 'ципела', ['LATIN']],
  ])('ignores %s', async (_, text, expected) => {
    expect((await search(text)).slice(0, 1)).toEqual(expected);
  });

  it.each([
    ['%', ['PERCENT']],
    ['_', ['PERCENT']],
    ['100%', ['PERCENT']],
    ['wool_', ['PERCENT']],
    ["Men's", ['QUOTE']],
    ['"best"', ['QUOTE']],
    ['\\', ['QUOTE']],
    ['100% wool socks', []],
    ["' or true --", []],
    ['LONG', []],
  ])('matches special characters literally, in names only: %s', async (text, expected) => {
    expect(await search(text)).toEqual(expected);
  });

  it('ranks prefixes of words first for one or two letters', async () => {
    expect((await search('bo'))[0]).toBe('OTHER');
    expect((await search('w')).slice(0, 2).toSorted()).toEqual(['INNER', 'PERCENT']);
  });

  it('respects orderBy', async () => {
    expect((await listCodes('search=runner&orderBy=name desc')).slice(0, 2)).toEqual(['TYPO', 'LONG']);
  });

  it('ignores a blank search', async () => {
    expect(await search('  ')).toHaveLength(10);
  });

  it('finds a product by its new name only', async () => {
    await postProducts({ code: 'OTHER', name: 'Sandal' });
    expect([await search('sandal'), await search('boot')]).toEqual([['OTHER'], []]);
  });

  it.each(['search', 'searchAll', 'search=o&searchAll'])(
    'lists each product once over all pages, with similar names last: %s',
    async (parameter) => {
      const prefixMatches = Array.from({ length: 15 }, (_, n) => product(`H${n}`, `Tzorbles number ${10 + n}`));
      await postProducts(product('LIKE', 'Zorrble'), ...prefixMatches);
      const pages = await Promise.all(
        [0, 5, 10, 15].map((offset) => listCodes(`${parameter}=zorble&limit=5&offset=${offset}`)),
      );
      expect(pages.flat()).toEqual([...prefixMatches.map(({ code }) => code), 'LIKE']);
      expect(await listCodes(`${parameter}=zorble&limit=50`)).toEqual(pages.flat());
    },
  );

  it('finds a letter whose case folding is long', async () => {
    await postProducts(product('LETTERS', 'ﷺ'.repeat(255)), product('LETTER', 'ﷺ'));
    expect(foldForSearch('ﷺ'.repeat(255)).length).toBeGreaterThan(5_000);
    expect([await search('ﷺ'.repeat(255)), await search('ﷺ', 'searchAll')]).toEqual([
      ['LETTERS'],
      ['LETTER', 'LETTERS'],
    ]);
  });

  it('finds a name of emoji', async () => {
    const emoji = Array.from({ length: 255 }, (_, index) => String.fromCodePoint(0x1f300 + 2 * index)).join('');
    await postProducts(product('SIGNS', emoji), product('SIGN', emoji.slice(0, 4)));
    expect([await search(emoji), (await search(emoji.slice(0, 4)))[0]]).toEqual([['SIGNS'], 'SIGN']);
  });

  it.each(['search', 'searchAll'])('finds an emoji by the emoji itself, not by its name: %s', async (parameter) => {
    await postProducts(product('EMOJI', '👟 Tenisice 50％'));
    const foundCodes = await Promise.all(
      ['👟', '_', '%', ':', 'athletic', 'tenisice'].map((text) => search(text, parameter)),
    );
    expect(foundCodes).toEqual([['EMOJI'], ['PERCENT'], ['PERCENT'], [], [], ['EMOJI']]);
  });

  it('finds no product of another app', async () => {
    shop = await api.app();
    expect(await search('runner')).toEqual([]);
  });
});

describe('GET /products?searchAll', () => {
  beforeEach(() =>
    postProducts(
      product('ABC-10', 'Lamp', { variants: [{ code: 'L-1', barcode: '0012345678905' }, { code: 'ŠĆ-2' }] }),
      product('ABC-1', 'Table lamp'),
      product('X', 'abc-1 adapter'),
    ),
  );

  it('finds names, codes and barcodes, exact codes first', async () => {
    expect(await search('abc-1', 'searchAll')).toEqual(['ABC-1', 'X', 'ABC-10']);
  });

  it.each([
    ['a name', 'lamp', ['ABC-10', 'ABC-1']],
    ['a product’s code in another case', 'ABC-1', ['ABC-1', 'X', 'ABC-10']],
    ['a variant’s code', 'l-1', ['ABC-10']],
    ['a variant’s code with accents', 'šć-2', ['ABC-10']],
    ['a barcode with its leading zeros', '0012345678905', ['ABC-10']],
    ['part of a barcode', '12345', ['ABC-10']],
    ['nothing', 'zzz', []],
  ])('finds a product by %s', async (_, text, expected) => {
    expect(await search(text, 'searchAll')).toEqual(expected);
  });

  it('folds capitals as the database does, even İ and a final Σ', async () => {
    await postProducts(
      product('ŞİŞE-1', 'Bottle', { variants: [{ code: 'ŞİŞE-V1', barcode: 'İBAR-1' }] }),
      product('ΟΔΟΣ', 'Street'),
    );
    for (const text of ['ŞİŞE-1', 'ŞİŞE-V1', 'İBAR-1']) expect(await search(text, 'searchAll')).toEqual(['ŞİŞE-1']);
    expect(await search('ΟΔΟΣ', 'searchAll')).toEqual(['ΟΔΟΣ']);
  });

  it('does not find a former code of a variant', async () => {
    await postProducts({ code: 'ABC-10', name: 'Lamp', variants: [{ barcode: '0012345678905', code: 'L-9' }] });
    expect([await search('l-9', 'searchAll'), await search('l-1', 'searchAll')]).toEqual([['ABC-10'], []]);
  });
});

describe('filters of GET /products', () => {
  beforeEach(async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W1'), warehouse('CLOSED', { sellable: false })] });
    await postProducts(
      product('A', 'A', { price: 9.99 }),
      product('B', 'B', { price: 10 }),
      product('C', 'C', { price: 10.01 }),
      product('N', 'N'),
    );
    await putStock(shop, [
      { code: 'A-1', warehouse_code: 'CLOSED', qty: 5 },
      { code: 'B-1', warehouse_code: 'W1', qty: 1 },
    ]);
  });

  it.each([
    ['priceFrom', 'priceFrom=10', ['B', 'C']],
    ['priceTo', 'priceTo=10', ['A', 'B']],
    ['both ends inclusive', 'priceFrom=9.99&priceTo=10.01', ['A', 'B', 'C']],
    ['more decimals than the currency', 'priceFrom=9.991&priceTo=10.009', ['B']],
    ['an empty filter', 'priceFrom=', ['A', 'B', 'C', 'N']],
    ['onlyOnStock: available pieces', 'onlyOnStock=true', ['B']],
    ['onlyOnStock=1', 'onlyOnStock=1', ['B']],
    ['onlyOnStock=false', 'onlyOnStock=false', ['A', 'B', 'C', 'N']],
    ['a code with other filters', 'code=a&onlyOnStock=false&priceTo=20', ['A']],
    ['two look-ups of different products', 'code=a&slug=b', []],
    ['two look-ups of one product', 'code=a&slug=a', ['A']],
    ['an invalid id', 'code=a&id=x', []],
  ])('list the matching products for %s', async (_, query, expected) => {
    expect(await listCodes(query)).toEqual(expected);
  });

  it.each([
    'priceFrom=ten',
    'priceTo=-1',
    'priceFrom=1e9',
    'priceTo=NaN',
    'onlyOnStock=maybe',
    'search=%00',
    'searchAll=%00',
  ])('are answered 400 when invalid: %s', async (query) => {
    expect((await listProducts(query)).status).toBe(400);
  });

  it('do not affect the look-up of a single product', async () => {
    const { body } = await shop.get('/products?code= a ');
    expect(body.data).toMatchObject({ code: 'A', price: 9.99 });
    for (const query of ['code=zzz', 'barcode=1', 'slug=zzz', 'id=0', 'id=x', `id=${2 ** 60}`])
      expect((await shop.get(`/products?${query}`)).body).toEqual({ data: {} });
  });
});
