import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import semver from 'semver';
import { MINIMUM_VERSIONS, REVIEWED_ON, type MinimumVersion } from './testing/minimum-versions.js';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
}
type Lock = Readonly<Record<string, LockedPackage>>;

const repositoryPath = resolve(import.meta.dirname, '../../..');
const lock: Lock = { ...lockedPackagesOf(''), ...lockedPackagesOf('tools/') };

function lockedPackagesOf(folder: string): Lock {
  const text = readFileSync(`${repositoryPath}/${folder}package-lock.json`, 'utf8');
  const { packages } = JSON.parse(text) as { readonly packages: Lock };
  return Object.fromEntries(Object.entries(packages).map(([path, lockedPackage]) => [folder + path, lockedPackage]));
}

function copiesOf(name: string, packages: Lock): [string, LockedPackage][] {
  return Object.entries(packages).filter(([path]) => path === name || path.endsWith(`node_modules/${name}`));
}

function describeOutdated(packages: Lock, minimums: readonly MinimumVersion[]): string[] {
  return minimums.flatMap(({ name, version: minimum, problem, testsMayBeOlder }) =>
    copiesOf(name, packages)
      .filter(([, { version, dev }]) => !semver.gte(version ?? '0.0.0', minimum) && !(dev && testsMayBeOlder))
      .map(([path, { version }]) => `${path} is ${version}, must be at least ${minimum}: ${problem}`),
  );
}

describe('the lock files', () => {
  it('contain no package below the minimum version', () => {
    expect(describeOutdated(lock, MINIMUM_VERSIONS)).toEqual([]);
  });

  it('list a version and a hash for every package', () => {
    const installedPackages = Object.entries(lock).filter(([path]) => path.includes('node_modules/'));
    expect(installedPackages.length).toBeGreaterThan(1_000);
    const unpinnedPackages = installedPackages.filter(
      ([, lockedPackage]) =>
        !('link' in lockedPackage) && !(semver.valid(lockedPackage.version) && 'integrity' in lockedPackage),
    );
    expect(unpinnedPackages.map(([path]) => path)).toEqual([]);
  });
});

describe('an installation', () => {
  it('has at most 800 packages', () => {
    const installedPackages = Object.entries(lockedPackagesOf('')).filter(
      ([path, lockedPackage]) => path.includes('node_modules/') && !('link' in lockedPackage),
    );
    expect(installedPackages.length).toBeLessThanOrEqual(800);
  });
});

describe('the list of minimum versions', () => {
  it('has a date, lists each package once and has no unnecessary exception', () => {
    expect(REVIEWED_ON).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(Date.parse(REVIEWED_ON)).not.toBeNaN();
    const names = MINIMUM_VERSIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { version } of MINIMUM_VERSIONS) expect(semver.valid(version)).toBe(version);
    const needlessExceptions = MINIMUM_VERSIONS.filter(
      (minimum) =>
        minimum.testsMayBeOlder && describeOutdated(lock, [{ ...minimum, testsMayBeOlder: '' }]).length === 0,
    );
    expect(needlessExceptions.map(({ name }) => name)).toEqual([]);
  });

  it('lists only installed packages, with one exception', () => {
    const missingPackages = MINIMUM_VERSIONS.filter(({ name }) => copiesOf(name, lock).length === 0);
    expect(missingPackages.map(({ name }) => name)).toEqual(['morgan']);
  });
});

describe('a copy of a package', () => {
  const minimums: MinimumVersion[] = [{ name: 'qs', version: '6.16.0', problem: 'a hole' }];
  const forTests = minimums.map((minimum) => ({ ...minimum, testsMayBeOlder: 'only tests call it' }));

  it.each([
    ['at the top', { 'node_modules/qs': { version: '6.15.9' } }, minimums],
    ['within another package', { 'node_modules/express/node_modules/qs': { version: '6.2.0' } }, minimums],
    ['of a workspace', { 'apps/api/node_modules/qs': { version: '6.2.0' } }, minimums],
    ['before its release', { 'node_modules/qs': { version: '6.16.0-beta.1' } }, minimums],
    ['of tests', { 'node_modules/qs': { version: '6.2.0', dev: true } }, minimums],
    ['in production, excepted for tests', { 'node_modules/qs': { version: '6.2.0' } }, forTests],
  ])('is reported when it is too old: %s', (_, packages, list) => {
    const [path] = Object.keys(packages);
    expect(describeOutdated(packages, list)).toEqual([expect.stringMatching(new RegExp(`^${path} is .*: a hole$`))]);
  });

  it.each([
    ['new enough', { 'node_modules/qs': { version: '6.16.0' } }, minimums],
    ['another package', { 'node_modules/@types/qs': { version: '6.2.0' } }, minimums],
    ['a name with the same ending', { 'node_modules/nqs': { version: '6.2.0' } }, minimums],
    ['excepted for tests', { 'node_modules/qs': { version: '6.2.0', dev: true } }, forTests],
  ])('is accepted: %s', (_, packages, list) => {
    expect(describeOutdated(packages, list)).toEqual([]);
  });
});
