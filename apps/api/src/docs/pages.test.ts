import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { MATCHING } from '@back-office/matching';
import type { Route } from '../http/route.js';
import { allRoutes } from './all-routes.js';
import { GENERATED_PAGES } from './pages.js';

let routes: readonly Route[];

beforeAll(async () => {
  routes = await allRoutes();
});

const onDisk = (name: string): Promise<string> =>
  readFile(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
/** The formatter pads tables, and that alone may differ. */
const unpadded = (text: string): string => text.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---');

describe('a page that is written from the code', () => {
  it.each(Object.entries(GENERATED_PAGES))(
    '%s says what the code says; `npm run docs` writes it',
    async (name, text) => {
      expect(unpadded(await onDisk(name))).toBe(unpadded(text(routes)));
    },
  );
});

describe('the page of proforma states', () => {
  it('leads every open status to its ends, and none out of a final one', () => {
    const page = GENERATED_PAGES['proforma-states.md']?.(routes) ?? '';
    expect(page).toContain('    [*] --> draft: create\n');
    expect(page).toContain('  open --> converted: convert\n');
    expect(page).toContain('  expired --> [*]\n');
    expect(page).not.toMatch(/(converted|canceled|expired) --> \w/);
  });
});

describe('the page of matching', () => {
  const rows = Object.entries(MATCHING).flatMap(([call, kinds]) =>
    Object.entries(kinds).map(([record, order]) => `| \`${call}\` | \`${record}\` | \`${order.join('`, `')}\` |`),
  );

  it.each(rows)('has the row %s', async (row) => {
    expect(unpadded(await onDisk('matching.md'))).toContain(row);
  });

  it('has no other one', async () => {
    const page = unpadded(await onDisk('matching.md'));
    expect(page.split('\n').filter((line) => /^\| `(GET|POST|PUT)/.test(line))).toHaveLength(rows.length);
  });
});

describe('the page of errors', () => {
  const source = new URL('../../../../', import.meta.url);
  const files = ['apps/api/src/', 'packages/']
    .flatMap((folder) =>
      readdirSync(new URL(folder, source), { recursive: true }).map((file) => `${folder}${String(file)}`),
    )
    .filter((file) => /\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/testing\/|node_modules|\/dist\//.test(file));
  const written = files.flatMap((file) => {
    const text = readFileSync(new URL(file, source), 'utf8');
    return [...text.matchAll(/'((?:API|Stocks)\.[A-Z]\w*(?:\.\w+)*)'/g)].map(([, key = '']) => key);
  });

  it('has every key that is written in the code', async () => {
    expect(new Set(written).size).toBeGreaterThan(60);
    const page = await onDisk('errors.md');
    expect([...new Set(written)].filter((key) => !page.includes(`| \`${key}\` `))).toEqual([]);
  });

  it.each([
    ['API.CustomerChannelConsents.InvalidChannel', 422, 'PUT /customer/consent'],
    ['API.Tokens.Firebase.UnableToUpdate', 422, 'POST /session/firebase/token'],
    ['API.CdnFiles.FileNotFound', 404, 'PATCH /cdn/file'],
    ['API.CdnFiles.FileNotFound', 200, 'DELETE /cdn/list'],
    ['API.Stocks.NegativeStock', 200, 'PUT /int/stocks'],
    ['Stocks.InvalidWarehouseId', 400, 'GET /stocks'],
  ])('says of %s that it comes with %i from %s, among others', async (key, status, call) => {
    const row = unpadded(await onDisk('errors.md'))
      .split('\n')
      .find((line) => line.startsWith(`| \`${key}\` | ${status} |`));
    expect(row).toContain(`\`${call}\``);
  });
});
