import { check } from 'recheck';
import { readFileSync } from 'node:fs';

const TIMEOUT_MS = 60_000;
const patterns = JSON.parse(
  readFileSync(new URL('../../apps/api/src/testing/safe-patterns.json', import.meta.url), 'utf8'),
) as string[];

/** Returns `safe` when no text makes the pattern take more than linear time, or else `vulnerable` or `unknown`. */
async function verdictOn(pattern: string): Promise<string> {
  const end = pattern.lastIndexOf('/');
  const { status } = await check(pattern.slice(1, end), pattern.slice(end + 1), { timeout: TIMEOUT_MS });
  return status;
}

describe('a regular expression of the service', () => {
  it('takes linear time on every text', async () => {
    const slowPatterns: string[] = [];
    for (const pattern of patterns) {
      const verdict = await verdictOn(pattern);
      if (verdict !== 'safe') slowPatterns.push(`${pattern} is ${verdict}`);
    }
    expect(slowPatterns).toEqual([]);
  }, 300_000);
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
