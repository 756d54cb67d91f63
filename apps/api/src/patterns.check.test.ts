import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { patternsOf } from './testing/patterns.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('the list of safe patterns', () => {
  // `patterns.full.test.ts` in tools checks that each pattern of the list takes linear time.
  it('contains every pattern of the service, in sorted order', () => {
    const listed = JSON.parse(readFileSync(`${ROOT}apps/api/src/testing/safe-patterns.json`, 'utf8')) as string[];
    // A failure shows the patterns to add. Run `npm run test:campaigns -- patterns` to check them.
    expect(listed).toEqual([...patternsOf(ROOT).keys()]);
  });
});
