import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { MAX_RANKED_PRODUCTS, MAX_SIMILAR_PRODUCTS, type ProductFilter } from '../index.js';
import { product, variant, type CatalogueShop } from './given-catalogue.js';

const NAMES = {
  LONG: 'Runner shoes for runners',
  INNER: 'Forerunner watch',
  WORD: 'Blue runner',
  BEGINS: 'Runner Pro',
  EXACT: 'Runner',
  TYPO: 'Runnner mat',
  OTHER: 'Boot',
  PERCENT: '100% wool_socks',
  LATIN: 'Ципела Šešir',
  QUOTE: `Men's "best" \\ jacket`,
  EMOJI: '👟 Tenisice',
};

export function describeSearches({ it }: Runner, newShop: () => Promise<CatalogueShop>): void {
  const openShop = async () => {
    const shop = await newShop();
    await shop.upsertAll(...Object.entries(NAMES).map(([code, name]) => product(code, { name })));
    return shop;
  };

  eachCase(it, [
    ['runner', ['EXACT', 'BEGINS', 'LONG', 'WORD', 'INNER', 'TYPO']],
    ['RUNNER  pro', ['BEGINS', 'WORD', 'EXACT', 'LONG']],
    ['runer', ['WORD', 'EXACT', 'BEGINS', 'LONG']],
    ['sesir', ['LATIN']],
    ['cipela', ['LATIN']],
    ['шешир', ['LATIN']],
    ['%', ['PERCENT']],
    ['_', ['PERCENT']],
    ['wool_', ['PERCENT']],
    ['100% wool socks', []],
    ["Men's", ['QUOTE']],
    ['\\', ['QUOTE']],
    ['👟', ['EMOJI']],
    ['athletic', []],
    ['LONG', []],
    ['bo', ['OTHER']],
    ['w', ['PERCENT', 'INNER']],
    ['\u0301', []],
  ] as [string, string[]][])('searched for the name "%s" returns %j', async (search, expected) => {
    const shop = await openShop();
    expect(await shop.listCodes({ search })).toEqual(expected);
  });

  it('sorts by similarity only if at most 10,000 products contain the text, and finds at most 1,000 similar names', async () => {
    const shop = await newShop();
    const worse = Array.from({ length: MAX_RANKED_PRODUCTS }, (_, index) => product(`W${index}`, { name: 'A socket' }));
    const better = product('BETTER', { name: 'B flock' });
    const firstCode = async () => (await shop.listCodes({ search: 'ock' }, { offset: 0, limit: 1 }))[0];
    await shop.upsertAll(...worse.slice(1), better);
    expect(await firstCode()).toBe('BETTER');
    await shop.upsertAll(...worse.slice(0, 1));
    expect(await firstCode()).toMatch(/^W/);
    await shop.upsertAll(product('MORE', { name: 'A socket' }));
    const lastSimilar = { offset: MAX_SIMILAR_PRODUCTS - 1, limit: 5 };
    expect(await shop.listCodes({ search: 'sockeet' }, lastSimilar)).toHaveLength(1);
  });

  it('has names that are only similar to the search text last, after the exact matches of all pages', async () => {
    const shop = await newShop();
    const exactProducts = Array.from({ length: 12 }, (_, index) =>
      product(`H${index}`, { name: `Tzorbles number ${index + 10}` }),
    );
    await shop.upsertAll(product('LIKE', { name: 'Zorrble' }), ...exactProducts);
    for (const filter of [{ search: 'zorble' }, { searchAll: 'zorble' }, { search: 'o', searchAll: 'zorble' }]) {
      const pages = await Promise.all([0, 5, 10].map((offset) => shop.listCodes(filter, { offset, limit: 5 })));
      expect(pages.flat()).toEqual([...exactProducts.map(({ code }) => code), 'LIKE']);
    }
  });

  it('sorts the found products by the requested order', async () => {
    const shop = await openShop();
    expect(await shop.listCodes({ search: 'runner' }, { orderBy: 'name desc' })).toEqual([
      'TYPO',
      'LONG',
      'BEGINS',
      'EXACT',
      'INNER',
      'WORD',
    ]);
  });

  it('finds a changed product only by its new name and codes, not by the old ones', async () => {
    const shop = await openShop();
    await shop.upsertAll(product('OTHER', { name: 'Sandal', variants: [variant('OLD-9', { barcode: '860' })] }));
    expect([await shop.listCodes({ search: 'sandal' }), await shop.listCodes({ search: 'boot' })]).toEqual([
      ['OTHER'],
      [],
    ]);
    await shop.upsertAll({ code: 'OTHER', images: [], variants: [{ barcode: '860', code: 'NEW', images: [] }] });
    const codeLists = await Promise.all(['new', 'old-9', '860'].map((searchAll) => shop.listCodes({ searchAll })));
    expect(codeLists).toEqual([['OTHER'], [], ['OTHER']]);
  });

  describeSearchInCodes(it, newShop);
}

function describeSearchInCodes(it: Runner['it'], newShop: () => Promise<CatalogueShop>): void {
  eachCase(it, [
    [{ searchAll: 'abc-1' }, ['ABC-1', 'X', 'ABC-10']],
    [{ searchAll: 'lamp' }, ['ABC-10', 'ABC-1']],
    [{ searchAll: 'l-1' }, ['ABC-10']],
    [{ searchAll: 'ŠĆ-2' }, ['ABC-10']],
    [{ searchAll: '12345' }, ['ABC-10']],
    [{ searchAll: 'ŞİŞE' }, ['ŞİŞE-1']],
    [{ searchAll: 'ΟΔΟΣ' }, ['ΟΔΟΣ']],
    [{ searchAll: 'zzz' }, []],
    [{ searchAll: 'abc-1', search: 'lamp' }, ['ABC-10', 'ABC-1']],
    [{ searchAll: 'l-1', search: 'lamp' }, ['ABC-10']],
    [{ searchAll: 'lamp', search: 'adapter' }, []],
  ] as [Partial<ProductFilter>, string[]][])(
    'searched for %j in names and codes returns %j',
    async (filter, expected) => {
      const shop = await newShop();
      await shop.upsertAll(
        product('ABC-10', { name: 'Lamp', variants: [variant('L-1', { barcode: '0012345678905' }), variant('šć-2')] }),
        product('ABC-1', { name: 'Table lamp' }),
        product('X', { name: 'abc-1 adapter' }),
        product('ŞİŞE-1', { name: 'Bottle' }),
        product('ΟΔΟΣ', { name: 'Street' }),
      );
      expect(await shop.listCodes(filter)).toEqual(expected);
    },
  );

  eachCase(it, [['q7'], ['Q7'], ['0777']])(
    'searched for the code or barcode %s of a variant has its product first',
    async (searchAll) => {
      const shop = await newShop();
      await shop.upsertAll(
        product('A', { name: 'Ant', variants: [variant('Q7-1', { barcode: '07771' })] }),
        product('Z', { name: 'Zebra', variants: [variant('Q7', { barcode: '0777' })] }),
      );
      expect(await shop.listCodes({ searchAll })).toEqual(['Z', 'A']);
    },
  );

  it('finds no product of another app', async () => {
    const [shop, otherShop] = [await newShop(), await newShop()];
    await shop.upsertAll(product('A', { name: 'Runner' }));
    expect([await otherShop.listCodes({ search: 'runner' }), await otherShop.listCodes({ searchAll: 'a' })]).toEqual([
      [],
      [],
    ]);
  });
}
