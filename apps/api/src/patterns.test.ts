import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { patternsOf, verdictOn } from './testing/patterns.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SAFE_PATTERNS_PATH = `${ROOT}apps/api/src/testing/safe-patterns.json`;

const patterns = patternsOf(ROOT);
/** Patterns that `recheck` has found safe; the analysis of all of them would take half a minute. */
const safePatterns = new Set(JSON.parse(readFileSync(SAFE_PATTERNS_PATH, 'utf8')) as string[]);

describe('a regular expression of the service', () => {
  it('takes linear time on every text', async () => {
    const unlistedPatterns = [...patterns].filter(([pattern]) => !safePatterns.has(pattern));
    const verdicts = await Promise.all(
      unlistedPatterns.map(async ([pattern, file]) => `${file}: ${pattern} is ${await verdictOn(pattern)}`),
    );
    // A pattern with the verdict `safe` belongs in the list.
    expect(verdicts).toEqual([]);
  }, 120_000);
});

describe('the list of safe patterns', () => {
  it('has only patterns of the service, sorted', () => {
    expect([...safePatterns]).toEqual([...patterns.keys()]);
  });
});

describe('the analysis of patterns', () => {
  it('finds patterns of quadratic and exponential time', async () => {
    expect(await Promise.all([verdictOn('/\\/+$/'), verdictOn('/^(a|a)*b$/'), verdictOn('/^a+$/')])).toEqual([
      'vulnerable',
      'vulnerable',
      'safe',
    ]);
  }, 60_000);
});
