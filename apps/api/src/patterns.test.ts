import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { patternsOf, verdictOn } from './testing/patterns.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SAFE_PATTERNS_PATH = `${ROOT}apps/api/src/testing/safe-patterns.json`;

const patterns = patternsOf(ROOT);
/** Patterns that `recheck` has found safe. They are skipped, because checking all of them takes half a minute. */
const safePatterns = new Set(JSON.parse(readFileSync(SAFE_PATTERNS_PATH, 'utf8')) as string[]);

describe('a regular expression of the service', () => {
  it('takes linear time on every text', async () => {
    const unlistedPatterns = [...patterns].filter(([pattern]) => !safePatterns.has(pattern));
    const verdicts = await Promise.all(
      unlistedPatterns.map(async ([pattern, file]) => `${file}: ${pattern} is ${await verdictOn(pattern)}`),
    );
    // A failure shows the patterns that the file of safe patterns lacks. Add those with the verdict `safe` to the file.
    expect(verdicts).toEqual([]);
  }, 120_000);
});

describe('the list of safe patterns', () => {
  it('contains only patterns of the service, in sorted order', () => {
    expect([...safePatterns]).toEqual([...patterns.keys()]);
  });
});

describe('the analysis of regular expressions', () => {
  it('finds patterns of quadratic and exponential time', async () => {
    expect(await Promise.all([verdictOn('/\\/+$/'), verdictOn('/^(a|a)*b$/'), verdictOn('/^a+$/')])).toEqual([
      'vulnerable',
      'vulnerable',
      'safe',
    ]);
  }, 60_000);
});
