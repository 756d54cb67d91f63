import { transform, type Options } from '@swc/core';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Source } from './syntax.js';

const COMPILER: Options = {
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
/** Tools are no part of any suite. */
const TOOLS = /^apps\/api\/src\/(?:bench|differential|faults|mutants)\//;
const PACKAGES = '@back-office';

/** The text of a file with other text in it, by the path from the root of the repository. */
export type Rewrite = (file: string, text: string) => string;

/**
 * Copies of the repository, built file by file, in each of which one mutant is made at a time. A package's `dist` is
 * built from the same text as what stands beside its sources: threads and child processes are loaded from there.
 */
export class Workshop {
  private constructor(
    private readonly folder: string,
    readonly copies: readonly string[],
  ) {}

  static async open(root: string, count: number, rewrite: Rewrite): Promise<Workshop> {
    const folder = await mkdtemp(join(tmpdir(), 'mutants-'));
    const [first = '', ...others] = Array.from({ length: count }, (_, index) => join(folder, `copy-${index}`));
    await buildRunner(root, folder);
    await build(root, first, rewrite);
    await Promise.all(others.map((copy) => cp(first, copy, { recursive: true, verbatimSymlinks: true })));
    return new Workshop(folder, [first, ...others]);
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

/** Puts a text in the place of the file for as long as the work takes. */
export async function withText<Result>(
  copy: string,
  source: Source,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const files = builtFiles(copy, source.file);
  const code = await compiled(text);
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

/** Where a source is after the build. */
export function builtFile(copy: string, file: string): string {
  return join(copy, file.replace(/\.ts$/, '.js'));
}

function builtFiles(copy: string, file: string): string[] {
  const built = builtFile(copy, file);
  const isPackage = /^packages\/[^/]+\/src\//.test(file);
  return isPackage ? [built, join(copy, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'))] : [built];
}

async function compiled(text: string): Promise<string> {
  return (await transform(text, COMPILER)).code;
}

/** From its source, since the tests of this tool come without a build of it. */
async function buildRunner(root: string, folder: string): Promise<void> {
  await mkdir(join(folder, 'runner'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const name of ['contract-run', 'registry']) {
    const source = new URL(`../../src/mutants/${name}.ts`, import.meta.url);
    await writeFile(join(folder, `runner/${name}.js`), await compiled(await readFile(source, 'utf8')));
  }
}

async function build(root: string, copy: string, rewrite: Rewrite): Promise<void> {
  const packages = (await readdir(join(root, 'packages'))).map((name) => `packages/${name}`);
  await linkModules(root, copy, packages);
  await Promise.all(
    [...packages, ...(existsSync(join(root, 'apps/api')) ? ['apps/api'] : [])].map((room) =>
      offerSources(root, copy, room),
    ),
  );
  const rooms = [...packages.flatMap((each) => [`${each}/src`, `${each}/testing`]), 'apps/api/src'];
  for (const room of rooms) {
    const files = await readdir(join(root, room), { recursive: true, withFileTypes: true }).catch(() => []);
    const paths = files
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name).slice(root.length));
    await Promise.all(paths.filter((path) => !TOOLS.test(path)).map((path) => buildFile(root, copy, path, rewrite)));
  }
}

async function buildFile(root: string, copy: string, file: string, rewrite: Rewrite): Promise<void> {
  const text = await readFile(join(root, file));
  const isCode = file.endsWith('.ts');
  const built = isCode ? await compiled(rewrite(file, text.toString())) : text;
  for (const path of isCode ? builtFiles(copy, file) : [join(copy, file)]) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, built);
  }
}

async function linkModules(root: string, copy: string, packages: readonly string[]): Promise<void> {
  const [modules, copied] = [join(root, 'node_modules'), join(copy, 'node_modules')];
  await mkdir(join(copied, PACKAGES), { recursive: true });
  await mkdir(join(copy, 'tmp'));
  const names = (await readdir(modules)).filter((name) => name !== PACKAGES && !name.startsWith('.'));
  await Promise.all(names.map((name) => symlink(join(modules, name), join(copied, name))));
  const own = packages.map((each) => each.slice('packages/'.length));
  await Promise.all(own.map((name) => symlink(`../../packages/${name}`, join(copied, PACKAGES, name))));
}

/** Has a package offer what is built beside its sources. */
async function offerSources(root: string, copy: string, room: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(root, room, 'package.json'), 'utf8')) as {
    exports?: Record<string, { 'back-office:source'?: string }>;
  };
  const offered = Object.entries(manifest.exports ?? {}).map(([path, { 'back-office:source': source = '' }]) => [
    path,
    source.replace(/\.ts$/, '.js'),
  ]);
  await mkdir(join(copy, room), { recursive: true });
  await writeFile(
    join(copy, room, 'package.json'),
    JSON.stringify({ ...manifest, exports: Object.fromEntries(offered) as object }),
  );
}
