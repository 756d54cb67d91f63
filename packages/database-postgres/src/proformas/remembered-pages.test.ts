import { formatPage, readPage, RememberedPages, type RememberedPage } from './remembered-pages.js';

const START = new Date('2026-11-27T10:00:00Z');
const NO_PAGE = new RememberedPages().find('unknown', START);

const secondsLater = (seconds: number): Date => new Date(START.getTime() + seconds * 1_000);

function entryOf(id: number, version: number, name = 'Ana'): string {
  return `${id}\t${version}\t${secondsLater(90).getTime()}\t{"id":${id},"left":\t,"name":"${name}"}`;
}

function pageOf(ids: readonly number[], name?: string): RememberedPage {
  return readPage(ids.map((id) => entryOf(id, 1, name)).join('\n'), NO_PAGE, START);
}

describe('the entries of a page', () => {
  it('become the JSON of all rows, with the seconds that are left', () => {
    expect(formatPage(pageOf([2, 1], 'Žun'), secondsLater(0.5))).toBe(
      '[{"id":2,"left":89,"name":"Žun"},{"id":1,"left":89,"name":"Žun"}]',
    );
    expect(formatPage(pageOf([1]), secondsLater(91))).toBe('[{"id":1,"left":0,"name":"Ana"}]');
  });

  it('may leave out known rows, in any order', () => {
    const page = readPage(`3\t1\t0\t{"id":3,"left":\t}\n1\n2\t2\t0\t{"new":\t}`, pageOf([2, 1]), START);
    expect(JSON.parse(formatPage(page, START))).toEqual([
      { id: 3, left: 0 },
      { id: 1, left: 90, name: 'Ana' },
      { new: 0 },
    ]);
    expect([page.ids, page.versions]).toEqual(['{3,1,2}', '{1,1,2}']);
  });

  it('may be none', () => {
    expect(formatPage(readPage('', pageOf([1]), START), START)).toBe('[]');
  });

  it('return the known page when nothing has changed', () => {
    const known = pageOf([2, 1]);
    expect(readPage('2\n1', known, secondsLater(9))).toBe(known);
    expect(readPage('1\n2', known, START).hash).not.toBe(known.hash);
    expect(readPage('2', known, START).hash).not.toBe(known.hash);
  });
});

describe('remembered pages', () => {
  it('are found by their query', () => {
    const pages = new RememberedPages();
    const page = pageOf([1]);
    pages.remember('a', page);
    expect(pages.find('a', START)).toBe(page);
    expect(pages.find('b', START)).toBe(NO_PAGE);
  });

  it('are read again after a minute, even if some rows were read later', () => {
    const pages = new RememberedPages();
    pages.remember('a', pageOf([1]));
    pages.remember('a', readPage(`${entryOf(2, 1)}\n1`, pages.find('a', secondsLater(50)), secondsLater(50)));
    expect(pages.find('a', secondsLater(60)).ids).toBe('{2,1}');
    expect(pages.find('a', secondsLater(61))).toBe(NO_PAGE);
    expect(pages.find('a', secondsLater(-1))).toBe(NO_PAGE);
  });

  it('are forgotten when they become empty', () => {
    const pages = new RememberedPages();
    pages.remember('a', pageOf([1]));
    pages.remember('a', NO_PAGE);
    expect(pages.find('a', START)).toBe(NO_PAGE);
  });

  it('have a maximum total length, and those listed longest ago are forgotten', () => {
    const { length } = pageOf([1]);
    const pages = new RememberedPages(2 * length);
    for (const query of ['a', 'b', 'a', 'c']) pages.remember(query, pageOf([1]));
    expect(['a', 'b', 'c'].map((query) => pages.find(query, START).ids)).toEqual(['{1}', '{}', '{1}']);
    pages.remember('d', pageOf([1], 'a long name '.repeat(10)));
    expect(['a', 'c', 'd'].map((query) => pages.find(query, START).ids)).toEqual(['{}', '{}', '{}']);
  });

  it('count the text of rows that have left them, because the other rows keep it in memory', () => {
    const known = pageOf([3, 2, 1]);
    const page = readPage(`${entryOf(4, 1)}\n1`, known, START);
    expect(page.length).toBe(known.length + entryOf(4, 1).length);
    const pages = new RememberedPages(page.length - 1);
    pages.remember('a', page);
    expect(pages.find('a', START)).toBe(NO_PAGE);
  });

  it('are no longer than 256,000 characters, and longer ones have no hash', () => {
    const pages = new RememberedPages();
    const page = pageOf([1], 'A'.repeat(300_000));
    pages.remember('a', page);
    expect(pages.find('a', START)).toBe(NO_PAGE);
    expect([page.hash, formatPage(page, START).length > 300_000]).toEqual([undefined, true]);
  });
});
