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

  it('respects orderBy', async () => {
    expect((await listCodes('search=runner&orderBy=name desc')).slice(0, 2)).toEqual(['TYPO', 'LONG']);
  });

  it('ignores a blank search', async () => {
    expect(await search('  ')).toHaveLength(10);
  });

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
});

describe('GET /products?searchAll', () => {
  beforeEach(() =>
    postProducts(
      product('ABC-10', 'Lamp', { variants: [{ code: 'L-1', barcode: '0012345678905' }, { code: 'ŠĆ-2' }] }),
      product('ABC-1', 'Table lamp'),
      product('X', 'abc-1 adapter'),
    ),
  );

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
