import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGE_NAMES = readdirSync(join(ROOT, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
/** These packages contain native code, WebAssembly or a server, so installing them would take too long. */
const LARGE_PACKAGES = /^(?:database-postgres|storage-s3|images-|pages-|facts-)/;
const INSTALLED_PACKAGES = PACKAGE_NAMES.filter((name) => !LARGE_PACKAGES.test(name));
/** Entry points that only tests of this repository use; they are neither built nor packed. */
const SOURCE_ENTRIES = new Set(['database-postgres/testing', 'media/testing/arbitraries']);
const EXAMPLE = /```js\n(?<code>[\s\S]*?)```\n\nOutput:\n\n```text\n(?<output>[\s\S]*?)```/;
interface Manifest {
  readonly exports?: Readonly<Record<string, { readonly types?: string; readonly default?: string }>>;
}

/** `npm run test:packages` sets this variable to run other versions of Node. */
const NODE = process.env['PACKAGES_NODE'] ?? process.execPath;
const ENVIRONMENT = { ...process.env, PATH: [dirname(NODE), process.env['PATH']].join(delimiter) };

let tarballs: string;

beforeAll(async () => {
  tarballs = await mkdtemp(join(tmpdir(), 'back-office-tarballs-'));
  const workspaces = PACKAGE_NAMES.flatMap((name) => ['--workspace', `packages/${name}`]);
  await run('npm', ['pack', '--silent', '--pack-destination', tarballs, ...workspaces], { cwd: ROOT });
}, 120_000);

afterAll(() => rm(tarballs, { recursive: true, force: true }));

const tarballOf = (name: string): string => join(tarballs, `back-office-${name}-0.2.0.tgz`);
const readmeOf = (name: string): string => readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');

describe.each(PACKAGE_NAMES)('the package %s', (name) => {
  it('passes the checks of publint', async () => {
    const { messages } = await publint({ pack: { tarball: await bytesOf(name) } });
    expect(messages).toEqual([]);
  });

  it('has types that resolve in every module mode', async () => {
    const tarball = createPackageFromTarballData(new Uint8Array(await bytesOf(name)));
    const checked = await checkPackage(tarball, { excludeEntrypoints: sourceEntriesOf(name) });
    const problems = 'problems' in checked ? checked.problems : [{ kind: 'no types' }];
    expect(problems.filter((problem) => !isLegacyResolution(problem))).toEqual([]);
  }, 60_000);

  it('packs every file that it exports', async () => {
    const tarball = createPackageFromTarballData(new Uint8Array(await bytesOf(name)));
    const { exports = {} } = manifestOf(name);
    const targets = Object.entries(exports).flatMap(([entry, { types, default: code }]) => {
      if (SOURCE_ENTRIES.has(join(name, entry))) return [];
      return [types ?? `no types of ${entry}`, code ?? `no code of ${entry}`];
    });
    const isPacked = (target: string): boolean => tarball.fileExists(join('/node_modules/@back-office', name, target));
    expect(targets.filter((target) => !isPacked(target))).toEqual([]);
  });
});

describe('an empty project', () => {
  it('runs all examples, and runs a contract with node:test and with Vitest', async () => {
    const project = await mkdtemp(join(tmpdir(), 'back-office-project-'));
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    const options = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
    const runHere = (file: string, args: readonly string[], cwd = project) =>
      run(file, [...args], { cwd, env: ENVIRONMENT });
    await runHere('npm', [
      'install',
      ...options,
      'expect@30.5.2',
      'standardwebhooks@1.1.1',
      ...INSTALLED_PACKAGES.map(tarballOf),
    ]);
    for (const name of INSTALLED_PACKAGES)
      await writeFile(join(project, `${name}.mjs`), EXAMPLE.exec(readmeOf(name))?.groups?.['code'] ?? '');
    // A process starts slowly, so one process runs all examples.
    await writeFile(
      join(project, 'examples.mjs'),
      INSTALLED_PACKAGES.map((name) => `await import('./${name}.mjs');`).join('\n'),
    );
    await runHere(NODE, ['examples.mjs']);
    for (const name of readdirSync(join(ROOT, 'examples'))) {
      await cp(join(ROOT, 'examples', name), join(project, name), { recursive: true });
      // The folder is the working directory, because newer versions of Node treat a folder argument as one test file.
      expect((await runHere(NODE, ['--test'], join(project, name))).stdout).toMatch(/pass [1-9]/);
    }
    await writeFile(join(project, 'store.test.mjs'), contractUnder('node:test'));
    await runHere(NODE, ['--test', 'store.test.mjs']);
    await writeFile(join(project, 'vitest.test.mjs'), contractUnder('vitest'));
    const vitest = join(ROOT, 'tools/node_modules/vitest/vitest.mjs');
    const config = JSON.stringify({
      resolve: { alias: { vitest: join(ROOT, 'tools/node_modules/vitest/dist/index.js') } },
    });
    await writeFile(join(project, 'vitest.config.mjs'), `export default ${config};`);
    await runHere(NODE, [vitest, 'run', 'vitest.test.mjs']);
    await rm(project, { recursive: true, force: true });
  }, 180_000);
});

function contractUnder(runner: string): string {
  return `
    import * as runner from '${runner}';
    import { runnerOf } from '@back-office/kernel/testing';
    import { mediaStoreContract } from '@back-office/media/testing';
    import { DiskMediaStore } from '@back-office/storage-disk';
    import { mkdtemp } from 'node:fs/promises';
    mediaStoreContract(runnerOf(runner), async () => ({
      store: await DiskMediaStore.open(await mkdtemp('store-')),
      close: async () => {},
    }));`;
}

function sourceEntriesOf(name: string): string[] {
  return Object.keys(manifestOf(name).exports ?? {}).filter((entry) => SOURCE_ENTRIES.has(join(name, entry)));
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}

async function bytesOf(name: string): Promise<ArrayBuffer> {
  return new Uint8Array(await readFile(tarballOf(name))).buffer;
}

/** A CommonJS import, or an import that ignores `exports`. The packages are ES modules and support neither. */
function isLegacyResolution(problem: object): boolean {
  return 'resolutionKind' in problem && ['node10', 'node16-cjs'].includes(String(problem.resolutionKind));
}
