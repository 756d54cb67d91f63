import { transform, type Options } from '@swc/core';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Source } from './syntax.js';

const COMPILER_OPTIONS: Options = {
  configFile: false,
  swcrc: false,
  sourceMaps: false,
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  module: { type: 'es6' },
};
/** Folders of tools, which no contract suite imports. */
const TOOL_FOLDERS = /^apps\/api\/src\/(?:bench|differential|faults|mutants)\//;
const PACKAGE_SCOPE = '@back-office';

/** Returns the new text of a file. The path is relative to the root of the repository. */
export type Rewrite = (file: string, text: string) => string;

/**
 * Compiled copies of the repository, each used for one mutant at a time. Each package's `dist` also has the compiled
 * files, because threads and child processes load them from there.
 */
export class CompiledCopies {
  private constructor(
    private readonly folder: string,
    /** Folder of each copy. */
    readonly folders: readonly string[],
  ) {}

  static async open(root: string, count: number, rewrite: Rewrite): Promise<CompiledCopies> {
    const folder = await mkdtemp(join(tmpdir(), 'mutants-'));
    const [firstCopy = '', ...otherCopies] = Array.from({ length: count }, (_, index) => join(folder, `copy-${index}`));
    await buildRunner(root, folder);
    await build(root, firstCopy, rewrite);
    await Promise.all(otherCopies.map((copy) => cp(firstCopy, copy, { recursive: true, verbatimSymlinks: true })));
    return new CompiledCopies(folder, [firstCopy, ...otherCopies]);
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

/** Replaces the text of a source in the compiled copy, runs the work, and restores the copy. */
export async function withReplacedSource<Result>(
  copy: string,
  source: Source,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const files = builtFiles(copy, source.file);
  const code = await compile(text);
  const originals = await Promise.all(files.map((file) => readFile(file)));
  await Promise.all(files.map((file) => writeFile(file, code)));
  try {
    return await work();
  } finally {
    await Promise.all(files.map((file, index) => writeFile(file, originals[index] as Buffer)));
  }
}

export function runnerBeside(copy: string): string {
  return join(copy, '../runner/contract-run.js');
}

export function builtFile(copy: string, file: string): string {
  return join(copy, file.replace(/\.ts$/, '.js'));
}

function builtFiles(copy: string, file: string): string[] {
  const builtPath = builtFile(copy, file);
  const isPackage = /^packages\/[^/]+\/src\//.test(file);
  return isPackage ? [builtPath, join(copy, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'))] : [builtPath];
}

async function compile(text: string): Promise<string> {
  return (await transform(text, COMPILER_OPTIONS)).code;
}

/** Compiles the runner from source, because the tests of this tool run without a build. */
async function buildRunner(root: string, folder: string): Promise<void> {
  await mkdir(join(folder, 'runner'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const name of ['contract-run', 'registry']) {
    const source = new URL(`../../src/mutants/${name}.ts`, import.meta.url);
    await writeFile(join(folder, `runner/${name}.js`), await compile(await readFile(source, 'utf8')));
  }
}

async function build(root: string, copy: string, rewrite: Rewrite): Promise<void> {
  const packages = (await readdir(join(root, 'packages'))).map((name) => `packages/${name}`);
  await linkModules(root, copy, packages);
  await Promise.all(
    [...packages, ...(existsSync(join(root, 'apps/api')) ? ['apps/api'] : [])].map((folder) =>
      rewriteExports(root, copy, folder),
    ),
  );
  const folders = [
    ...packages.flatMap((path) => [`${path}/src`, `${path}/testing`]),
    'apps/api/src',
    'tools/storage-s3',
  ];
  for (const folder of folders) {
    const files = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
    const paths = files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
    await Promise.all(
      paths.filter((path) => !TOOL_FOLDERS.test(path)).map((path) => buildFile(root, copy, path, rewrite)),
    );
  }
}

async function buildFile(root: string, copy: string, file: string, rewrite: Rewrite): Promise<void> {
  const text = await readFile(join(root, file));
  const isCode = file.endsWith('.ts');
  const content = isCode ? await compile(rewrite(file, text.toString())) : text;
  for (const path of isCode ? builtFiles(copy, file) : [join(copy, file)]) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

async function linkModules(root: string, copy: string, packages: readonly string[]): Promise<void> {
  await mkdir(join(copy, 'tools'), { recursive: true });
  await symlink(join(root, 'tools/node_modules'), join(copy, 'tools/node_modules'));
  const [modules, copiedModules] = [join(root, 'node_modules'), join(copy, 'node_modules')];
  await mkdir(join(copiedModules, PACKAGE_SCOPE), { recursive: true });
  await mkdir(join(copy, 'tmp'));
  const names = (await readdir(modules)).filter((name) => name !== PACKAGE_SCOPE && !name.startsWith('.'));
  await Promise.all(names.map((name) => symlink(join(modules, name), join(copiedModules, name))));
  const packageNames = packages.map((path) => path.slice('packages/'.length));
  await Promise.all(
    packageNames.map((name) => symlink(`../../packages/${name}`, join(copiedModules, PACKAGE_SCOPE, name))),
  );
}

/** Makes the exports of a package refer to the compiled files beside its sources. */
async function rewriteExports(root: string, copy: string, folder: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as {
    exports?: Record<string, { 'back-office:source'?: string }>;
  };
  const exports = Object.entries(manifest.exports ?? {}).map(([path, { 'back-office:source': source = '' }]) => [
    path,
    source.replace(/\.ts$/, '.js'),
  ]);
  await mkdir(join(copy, folder), { recursive: true });
  await writeFile(
    join(copy, folder, 'package.json'),
    JSON.stringify({ ...manifest, exports: Object.fromEntries(exports) as object }),
  );
}
