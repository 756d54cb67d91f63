import { readFile } from 'node:fs/promises';
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
