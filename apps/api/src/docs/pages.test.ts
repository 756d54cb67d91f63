import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { EVENT_TYPES } from '@back-office/kernel';
import { MATCHING } from '@back-office/matching';
import type { Route } from '../http/route.js';
import { buildRoutes } from './all-routes.js';
import { withEventTypes } from './event-types-table.js';
import { withImportsPicture } from './imports-picture.js';
import { GENERATED_PAGES } from './pages.js';

let routes: readonly Route[];

beforeAll(async () => {
  routes = await buildRoutes();
});

const readPage = (name: string): Promise<string> =>
  readFile(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
/** Removes the padding that the formatter adds to tables. */
const removePadding = (text: string): string => text.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---');

describe('a generated page', () => {
  it.each(Object.entries(GENERATED_PAGES))('is up to date with `npm run docs`: %s', async (name, text) => {
    expect(removePadding(await readPage(name))).toBe(removePadding(text(routes)));
  });
});

describe('the architecture page', () => {
  it('is up to date with `npm run docs`', async () => {
    const page = await readPage('architecture.md');
    expect(page).toContain('apps/api');
    expect(removePadding(withImportsPicture(page, fileURLToPath(new URL('../../../../', import.meta.url))))).toBe(
      removePadding(page),
    );
  });
});

describe('the page of events', () => {
  it('lists every type, and is up to date with `npm run docs`', async () => {
    const page = await readPage('events.md');
    for (const type of EVENT_TYPES) expect(page).toContain(`| \`${type}\``);
    expect(removePadding(withEventTypes(page))).toBe(removePadding(page));
  });
});

describe('the page of proforma states', () => {
  it('has no transition out of a final status', () => {
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
    expect(removePadding(await readPage('matching.md'))).toContain(row);
  });

  it('has no other rows', async () => {
    const page = removePadding(await readPage('matching.md'));
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
  const keys = files.flatMap((file) => {
    const text = readFileSync(new URL(file, source), 'utf8');
    return [...text.matchAll(/'((?:API|Stocks)\.[A-Z]\w*(?:\.\w+)*)'/g)].map(([, key = '']) => key);
  });

  it('has every message key of the code', async () => {
    expect(new Set(keys).size).toBeGreaterThan(60);
    const page = await readPage('errors.md');
    expect([...new Set(keys)].filter((key) => !page.includes(`| \`${key}\` `))).toEqual([]);
  });

  it.each([
    ['API.CustomerChannelConsents.InvalidChannel', 422, 'PUT /customer/consent'],
    ['API.Tokens.Firebase.UnableToUpdate', 422, 'POST /session/firebase/token'],
    ['API.CdnFiles.FileNotFound', 404, 'PATCH /cdn/file'],
    ['API.CdnFiles.FileNotFound', 200, 'DELETE /cdn/list'],
    ['API.Stocks.NegativeStock', 200, 'PUT /int/stocks'],
    ['Stocks.InvalidWarehouseId', 400, 'GET /stocks'],
  ])('lists %s with %i for %s', async (key, status, call) => {
    const row = removePadding(await readPage('errors.md'))
      .split('\n')
      .find((line) => line.startsWith(`| \`${key}\` | ${status} |`));
    expect(row).toContain(`\`${call}\``);
  });
});
