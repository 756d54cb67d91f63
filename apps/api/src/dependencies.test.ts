import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import semver from 'semver';
import { MINIMUM_VERSIONS, REVIEWED_ON, type MinimumVersion } from './testing/minimum-versions.js';

interface LockedPackage {
  readonly version?: string;
  /** Not installed where the service runs. */
  readonly dev?: boolean;
}
type Lock = Readonly<Record<string, LockedPackage>>;

const repository = resolve(import.meta.dirname, '../../..');
const lock = (JSON.parse(readFileSync(`${repository}/package-lock.json`, 'utf8')) as { packages: Lock }).packages;

/** Every copy of the package, by where it is installed. */
function copiesOf(name: string, packages: Lock): [string, LockedPackage][] {
  return Object.entries(packages).filter(([place]) => place === name || place.endsWith(`node_modules/${name}`));
}

function tooOld(packages: Lock, minimums: readonly MinimumVersion[]): string[] {
  return minimums.flatMap(({ name, version: least, because, testsMayBeOlder }) =>
    copiesOf(name, packages)
      .filter(([, { version, dev }]) => !semver.gte(version ?? '0.0.0', least) && !(dev && testsMayBeOlder))
      .map(([place, { version }]) => `${place} is ${version}, must be ${least} at least: ${because}`),
  );
}

describe('the lock file', () => {
  it('holds no copy of a package that is older than it may be', () => {
    expect(tooOld(lock, MINIMUM_VERSIONS)).toEqual([]);
  });

  it('names the version and the hash of every package', () => {
    const installed = Object.entries(lock).filter(([place]) => place.includes('node_modules/'));
    expect(installed.length).toBeGreaterThan(500);
    const loose = installed.filter(
      ([, each]) => !('link' in each) && !(semver.valid(each.version) && 'integrity' in each),
    );
    expect(loose.map(([place]) => place)).toEqual([]);
  });
});

describe('the list of minimum versions', () => {
  it('is dated, names each package once, and what may be older is there', () => {
    expect(REVIEWED_ON).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(Date.parse(REVIEWED_ON)).not.toBeNaN();
    const names = MINIMUM_VERSIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { version } of MINIMUM_VERSIONS) expect(semver.valid(version)).toBe(version);
    const needless = MINIMUM_VERSIONS.filter(
      (minimum) => minimum.testsMayBeOlder && tooOld(lock, [{ ...minimum, testsMayBeOlder: '' }]).length === 0,
    );
    expect(needless.map(({ name }) => name)).toEqual([]);
  });

  it('is about packages that are there, but for those that must not come in an older version', () => {
    const absent = MINIMUM_VERSIONS.filter(({ name }) => copiesOf(name, lock).length === 0);
    expect(absent.map(({ name }) => name)).toEqual(['morgan']);
  });
});

describe('a copy that is too old', () => {
  const minimums: MinimumVersion[] = [{ name: 'qs', version: '6.16.0', because: 'a hole' }];
  const forTests = minimums.map((each) => ({ ...each, testsMayBeOlder: 'nobody else calls it' }));

  it.each([
    ['at the top', { 'node_modules/qs': { version: '6.15.9' } }, minimums],
    ['within another package', { 'node_modules/express/node_modules/qs': { version: '6.2.0' } }, minimums],
    ['of a workspace', { 'apps/api/node_modules/qs': { version: '6.2.0' } }, minimums],
    ['before its release', { 'node_modules/qs': { version: '6.16.0-beta.1' } }, minimums],
    ['of tests', { 'node_modules/qs': { version: '6.2.0', dev: true } }, minimums],
    ['of the service, where only tests may have it', { 'node_modules/qs': { version: '6.2.0' } }, forTests],
  ])('is found: %s', (_, packages, list) => {
    const [place] = Object.keys(packages);
    expect(tooOld(packages, list)).toEqual([expect.stringMatching(new RegExp(`^${place} is .*: a hole$`))]);
  });

  it.each([
    ['new enough', { 'node_modules/qs': { version: '6.16.0' } }, minimums],
    ['another package', { 'node_modules/@types/qs': { version: '6.2.0' } }, minimums],
    ['one with the same ending', { 'node_modules/nqs': { version: '6.2.0' } }, minimums],
    ['one that tests may have', { 'node_modules/qs': { version: '6.2.0', dev: true } }, forTests],
  ])('is not what is %s', (_, packages, list) => {
    expect(tooOld(packages, list)).toEqual([]);
  });
});
