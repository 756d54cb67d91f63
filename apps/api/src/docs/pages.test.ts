import { readFile } from 'node:fs/promises';
import { MATCHING } from '@back-office/matching';
import { GENERATED_PAGES } from './pages.js';

const onDisk = (name: string): Promise<string> =>
  readFile(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
/** The formatter pads tables, and that alone may differ. */
const unpadded = (text: string): string => text.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---');

describe('a page that is written from the code', () => {
  it.each(Object.entries(GENERATED_PAGES))(
    '%s says what the code says; `npm run docs` writes it',
    async (name, text) => {
      expect(unpadded(await onDisk(name))).toBe(unpadded(text()));
    },
  );
});

describe('the page of proforma states', () => {
  it('leads every open status to its ends, and none out of a final one', () => {
    const page = GENERATED_PAGES['proforma-states.md']?.() ?? '';
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
