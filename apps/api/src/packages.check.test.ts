import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PACKAGE_NAMES = readdirSync(join(ROOT, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const EXAMPLE = /```js\n(?<code>[\s\S]*?)```\n\nOutput:\n\n```text\n(?<output>[\s\S]*?)```/;
const SPECIFIER = /(?:\bfrom|\bimport|\brequire\()\s*\(?'([@\w][^']*)'/g;

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
}

// `packages.full.test.ts` in tools packs, checks and installs the packages.
let folder: string;

beforeAll(async () => {
  // Only a folder below the root lets the adapter examples import the workspace packages.
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  folder = await mkdtemp(join(ROOT, '.cache/packages-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const readmeOf = (name: string): string => readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');

describe.each(PACKAGE_NAMES)('the package %s', (name) => {
  it('has a README example that prints the shown output', async () => {
    const { code, output } = EXAMPLE.exec(readmeOf(name))?.groups ?? {};
    const file = join(folder, `${name}.mjs`);
    await writeFile(file, code ?? '');
    const { stdout } = await run(process.execPath, [file], { cwd: folder });
    expect(stdout).toBe(output);
  }, 60_000);

  it('has no relative links in its README', () => {
    expect([...readmeOf(name).matchAll(/\]\((?!https:|#)[^)]*\)/g)].map(([link]) => link)).toEqual([]);
  });

  it('depends on every package that it imports', async () => {
    const dist = join(ROOT, 'packages', name, 'dist');
    const packsTests = manifestOf(name).files?.includes('!dist/testing') !== true;
    const files = (await readdir(dist, { recursive: true })).filter(
      (file) => file.endsWith('.js') && (packsTests || !file.startsWith('testing/')),
    );
    const texts = await Promise.all(files.map((file) => readFile(join(dist, file), 'utf8')));
    const importedPackages = new Set(
      texts.flatMap((text) => [...text.matchAll(SPECIFIER)].map(([, found = '']) => packageOf(found))),
    );
    const { dependencies, peerDependencies, optionalDependencies } = manifestOf(name);
    const declaredDependencies = new Set(
      Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }),
    );
    const isMissing = (packageName: string): boolean =>
      !declaredDependencies.has(packageName) &&
      !packageName.startsWith('node:') &&
      !builtinModules.includes(packageName) &&
      packageName !== `@back-office/${name}`;
    expect([...importedPackages].filter(isMissing)).toEqual([]);
  });
});

describe('the page on adapters', () => {
  it('lists the tarballs of each adapter', () => {
    const page = readFileSync(join(ROOT, 'docs/adapters/README.md'), 'utf8');
    const table = /<!-- tarballs: start -->([\s\S]*)<!-- tarballs: end -->/.exec(page)?.[1] ?? '';
    const rows = table.trim().split('\n').slice(2);
    const tarballRows = rows.map((row) => [...row.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name));
    expect(tarballRows).toHaveLength(4);
    expect(tarballRows).toEqual(tarballRows.map((names) => [...withDependencies(names)].sort()));
  });
});

function withDependencies(names: readonly string[]): Set<string> {
  const neededNames = new Set(names);
  for (const name of neededNames) {
    const workspaceDependencies = Object.keys(manifestOf(name).dependencies ?? {}).filter((dependency) =>
      dependency.startsWith('@back-office/'),
    );
    for (const dependency of workspaceDependencies) neededNames.add(dependency.replace('@back-office/', ''));
  }
  return neededNames;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
