import { execFileSync } from 'node:child_process';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const TIERS = ['first', 'full', 'check'];
const WORDS = new Set(['contract', 'full', 'check', 'api', 'pg', 'browser']);

const suites = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n');

function suitesOf(tier: string): string[] {
  const output = execFileSync(process.execPath, [join(ROOT, 'node_modules/jest/bin/jest.js'), '--listTests'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, TEST_TIER: tier },
  });
  return output
    .trim()
    .split('\n')
    .map((path) => relative(ROOT, path));
}

describe('a suite', () => {
  it('is in exactly one tier', () => {
    expect(TIERS.flatMap(suitesOf).sort()).toEqual([...suites].sort());
  });

  it('has only known words before `.test.ts`', () => {
    const hasUnknownWord = (file: string): boolean =>
      basename(file, '.test.ts')
        .split('.')
        .slice(1)
        .some((word) => !WORDS.has(word));
    expect(suites.filter(hasUnknownWord)).toEqual([]);
  });
});

describe('an unknown tier', () => {
  it('is refused', () => {
    expect(() => suitesOf('ful')).toThrow(/TEST_TIER is ful, but must be one of check, first, full, memory/);
  });
});
