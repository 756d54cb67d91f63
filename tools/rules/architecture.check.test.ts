import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from '@swc/core';
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser';

// Every rule is checked against this repository and against a small example that breaks only that rule.

const repositoryPath = resolve(import.meta.dirname, '../..');

interface Violation {
  readonly rule: string;
  readonly file: string;
}

async function violationsIn(root: string, names: readonly Violation[]): Promise<Violation[]> {
  const files = sourceFilesIn(root);
  return [...(await forbiddenImports(root)), ...names, ...misplacedFiles(files), ...misplacedCode(root, files)];
}

function sourceFilesIn(root: string): string[] {
  return ['apps', 'packages']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => /^(apps|packages)\/[^/]+\/(src|testing)\//.test(file));
}

type ImportRules = IFlattenedRuleSet & { readonly options: ICruiseOptions };
const importRules = createRequire(import.meta.url)(join(repositoryPath, '.dependency-cruiser.cjs')) as ImportRules;

async function forbiddenImports(root: string): Promise<Violation[]> {
  const { options, ...ruleSet } = importRules;
  const { output } = await cruise(['apps', 'packages'], { ...options, ruleSet, validate: true, baseDir: root });
  return (output as ICruiseResult).summary.violations.map(({ rule, from }) => ({ rule: rule.name, file: from }));
}

// This test covers only these rules of the linter; `npm run lint` checks the others.
const nameRules = [
  'eslint(no-restricted-globals)',
  'eslint(no-restricted-properties)',
  'eslint(no-console)',
  'node(no-process-env)',
  'import(no-default-export)',
];

interface LintReport {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

async function forbiddenNames(folder: string, roots: readonly string[]): Promise<Violation[]> {
  const files = roots.flatMap((root) => sourceFilesIn(join(folder, root)).map((file) => join(root, file)));
  const report = JSON.parse(await oxlint(folder, ['--format=json', ...files.filter(isTypeScript)])) as LintReport;
  return report.diagnostics
    .filter(({ code }) => nameRules.includes(code))
    .map(({ code, filename }) => ({ rule: code, file: filename }));
}

function oxlint(root: string, args: readonly string[]): Promise<string> {
  const command = join(repositoryPath, 'node_modules/.bin/oxlint');
  return new Promise((answer) => {
    execFile(command, args, { cwd: root, maxBuffer: 2 ** 26 }, (_exit, stdout) => answer(stdout));
  });
}

const fileRules: Record<string, (file: string) => boolean> = {
  'names-in-kebab-case': (file) => !/^([a-z0-9]+(-[a-z0-9]+)*[./])*[a-z0-9]+$/.test(file),
  'no-catch-all-folders': (file) => /\/(controllers|services|repositories|utils|helpers|common|types)\//.test(file),
};

function misplacedFiles(files: readonly string[]): Violation[] {
  return Object.entries(fileRules).flatMap(([rule, isBrokenBy]) =>
    files.filter(isBrokenBy).map((file) => ({ rule, file })),
  );
}

interface CodeRule {
  readonly appliesTo: (file: string) => boolean;
  readonly isBrokenBy: (code: { readonly text: string; readonly nodes: readonly SyntaxNode[] }) => boolean;
}

const codeRules: Record<string, CodeRule> = {
  'sql-only-in-the-database-adapter': {
    appliesTo: (file) => !isTest(file) && !file.startsWith('packages/database-postgres/'),
    isBrokenBy: ({ nodes }) => nodes.some((node) => SQL_TEXT.test(literalOf(node))),
  },
  'pure-packages-read-no-clock': {
    appliesTo: (file) =>
      !isTest(file) && /^packages\/(?!(storage|images|pages|upload|facts|database)-|client\/)/.test(file),
    isBrokenBy: ({ nodes }) => nodes.some(readsTheClock),
  },
  // This rule finds indirect access to the environment; a linter rule finds direct uses of `process.env`.
  'no-back-door-to-the-environment': {
    appliesTo: (file) => !isTest(file) && file !== 'apps/api/src/config.ts',
    isBrokenBy: ({ text }) => environmentAccesses.some((door) => door.test(text)),
  },
  // dependency-cruiser misses imports such as `type Money = import('./money.js').Money`.
  'types-are-imported-at-the-top': {
    appliesTo: () => true,
    isBrokenBy: ({ nodes }) => nodes.some(({ type }) => type === 'TsImportType'),
  },
};

const environmentAccesses = [
  /\}\s*=\s*process\b(?!\.)/,
  /\bprocess\s*\[/,
  /\bglobalThis\.process\b/,
  /\bfrom '(node:)?process'/,
  /\b(loadEnvFile|dotenv)\b/,
];

const SQL_TEXT = /\bselect\b.*\bfrom\b|\binsert into\b|\bupdate\b.*\bset\b|\bdelete from\b/is;

function misplacedCode(root: string, files: readonly string[]): Violation[] {
  return files.filter(isTypeScript).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const code = { text, nodes: nodesOf(parseSync(text, { syntax: 'typescript', decorators: true })) };
    return Object.entries(codeRules)
      .filter(([, { appliesTo, isBrokenBy }]) => appliesTo(file) && isBrokenBy(code))
      .map(([rule]) => ({ rule, file }));
  });
}

function isTypeScript(file: string): boolean {
  return file.endsWith('.ts');
}

function isTest(file: string): boolean {
  return /\.(test|contract)\.ts$|^packages\/[^/]+\/testing\/|^(packages|apps)\/[^/]+\/src\/testing\//.test(file);
}

type SyntaxNode = { readonly type: string } & { readonly [part: string]: unknown };

function nodesOf(tree: unknown, nodes: SyntaxNode[] = []): SyntaxNode[] {
  if (typeof tree !== 'object' || tree === null) return nodes;
  if ('type' in tree) nodes.push(tree as SyntaxNode);
  for (const part of Object.values(tree)) nodesOf(part, nodes);
  return nodes;
}

function literalOf(node: SyntaxNode): string {
  if (node.type === 'StringLiteral') return String(node['value']);
  if (node.type === 'TemplateLiteral') return (node['quasis'] as { raw: string }[]).map(({ raw }) => raw).join('?');
  if (node.type !== 'BinaryExpression') return '';
  return literalOf(node['left'] as SyntaxNode) + literalOf(node['right'] as SyntaxNode);
}

function readsTheClock(node: SyntaxNode): boolean {
  const calls = node.type === 'NewExpression' || node.type === 'CallExpression';
  const args = node['arguments'] as readonly unknown[] | null;
  return calls && (node['callee'] as { value?: unknown }).value === 'Date' && (args ?? []).length === 0;
}

type Files = Readonly<Record<string, string>>;

const validTree: Files = {
  'packages/kernel/src/index.ts': `export * from './money.js'; export { epoch } from './dates.js';`,
  'packages/kernel/src/money.ts': `export type Cents = number;`,
  'packages/kernel/src/dates.ts': `export const epoch = new Date(0);`,
  'packages/kernel/testing/index.ts': `import { nat } from 'fast-check'; export const cents = nat();`,
  'packages/proforma/src/index.ts': `
    import type { Cents } from '@back-office/kernel';
    export interface Proforma { readonly total: Cents }`,
  'packages/proforma/src/proforma.test.ts': `
    import { readFileSync } from 'node:fs';
    import { jest } from '@jest/globals';
    import { assert } from 'fast-check';
    import { cents } from '@back-office/kernel/testing';
    import { aProforma } from '../testing/index.js';
    export const facts = [readFileSync, jest, assert, cents, aProforma, new Date(), process.env, 'delete from proformas'];`,
  'packages/proforma/testing/index.ts': `
    import { nat } from 'fast-check';
    import type { Cents } from '@back-office/kernel';
    import { cents } from '@back-office/kernel/testing';
    import type { Proforma } from '@back-office/proforma';
    export const aProforma = { cents, nat, total: 1 as Cents } satisfies Proforma & object;`,
  'packages/media/src/index.ts': `export interface MediaStore { put(key: string): Promise<void> }`,
  'packages/media/src/testing/index.ts': `export const mediaStoreContract = (): void => {};`,
  'packages/storage-s3/src/index.ts': `
    import { readFile } from 'node:fs/promises';
    import { parse } from 'qs';
    import type { MediaStore } from '@back-office/media';
    export class S3MediaStore implements MediaStore {
      async put(key: string): Promise<void> { await readFile(parse(key) + String(new Date()) + Date.now()); }
    }`,
  'packages/storage-s3/src/s3-media-store.test.ts': `
    import { mediaStoreContract } from '@back-office/media/testing';
    mediaStoreContract();`,
  'apps/api/src/config.ts': `export const config = { port: process.env['PORT'] };`,
  'apps/api/src/main.ts': `
    import { container } from './container.js';
    console.log(container);`,
  'apps/api/src/runtime/service.ts': `
    export { dataSource } from '@back-office/database-postgres';`,
  'apps/api/src/container.ts': `
    import { Container } from 'inversify';
    import { dataSource } from './runtime/service.js';
    import { config } from './config.js';
    import { server } from './http/server.js';
    export const container = [new Container(), config, dataSource, server];`,
  'apps/api/src/runtime/jobs.ts': `
    import { payProforma } from '../proformas/pay-proforma.js';
    export const jobs = [payProforma];`,
  'apps/api/src/http/server.ts': `import express from 'express'; export const server = express();`,
  'packages/database-postgres/src/data-source.ts': `
    import { DataSource } from 'typeorm';
    export const dataSource = new DataSource({ type: 'postgres' });
    export const purge = 'delete from proformas';`,
  'packages/database-postgres/src/index.ts': `export { dataSource } from './data-source.js';`,
  'apps/api/src/proformas/index.ts': `export { payProforma } from './pay-proforma.js';`,
  'apps/api/src/proformas/pay-proforma.ts': `
    import type { Proforma } from '@back-office/proforma';
    export const payProforma = (proforma: Proforma): string => 'Select a payment of ' + proforma.total;`,
  'packages/database-postgres/src/proformas/proforma-rows.ts': `
    import type { DataSource } from 'typeorm';
    export class TypeOrmProformas { rows = (source: DataSource) => source.query('select id from proformas'); }`,
  'packages/database-postgres/src/proformas/proforma-list.ts': `
    import type { Pool } from 'pg';
    export const ids = (pool: Pool) => pool.query('select id from proformas');`,
  'apps/api/src/orders/place-order.ts': `
    import { payProforma } from '../proformas/index.js';
    export const placeOrder = payProforma;`,
  'apps/api/src/testing/builders.ts': `
    import { aProforma } from '@back-office/proforma/testing';
    export const anOrder = { proforma: aProforma };`,
};

interface ForbiddenExample {
  readonly situation: string;
  readonly rule: string;
  readonly files: Files;
}

const forbiddenExamples: readonly ForbiddenExample[] = [
  {
    situation: 'a pure package that reads a file',
    rule: 'pure-packages-import-no-node',
    files: {
      'packages/proforma/src/load.ts': `import { readFileSync } from 'node:fs'; export const load = readFileSync;`,
    },
  },
  {
    situation: 'a pure package with a library',
    rule: 'pure-packages-import-no-npm',
    files: { 'packages/kernel/src/parse.ts': `export { parse } from 'qs';` },
  },
  {
    situation: 'a pure package that imports another domain',
    rule: 'pure-packages-import-only-kernel',
    files: {
      'packages/media/src/price.ts': `import type { Proforma } from '@back-office/proforma'; export type Price = Proforma;`,
    },
  },
  {
    situation: 'a test of a pure package with a library',
    rule: 'pure-tests-import-only-fast-check',
    files: { 'packages/media/src/parse.test.ts': `import { parse } from 'qs'; parse('');` },
  },
  {
    situation: 'a testing folder that reads a file',
    rule: 'testing-folders-import-no-node',
    files: { 'packages/media/testing/sample.ts': `export { readFileSync } from 'node:fs';` },
  },
  {
    situation: 'an adapter that serves HTTP',
    rule: 'server-libraries-only-in-the-api',
    files: { 'packages/storage-s3/src/serve.ts': `import express from 'express'; export const serve = express();` },
  },
  {
    situation: 'a request class with the messages of class-validator',
    rule: 'decorators-from-request-fields',
    files: { 'apps/api/src/orders/fields.ts': `import { IsInt } from 'class-validator'; export const rule = IsInt();` },
  },
  {
    situation: 'a use case that imports TypeORM',
    rule: 'database-libraries-only-in-the-adapter',
    files: {
      'apps/api/src/orders/cancel.ts': `import type { DataSource } from 'typeorm'; export type Source = DataSource;`,
    },
  },
  {
    situation: 'a use case that imports the database adapter',
    rule: 'ports-instead-of-the-database',
    files: {
      'apps/api/src/orders/third-cancel.ts': `export { dataSource } from '@back-office/database-postgres';`,
    },
  },
  {
    situation: 'a use case that knows another adapter',
    rule: 'ports-instead-of-adapters',
    files: { 'apps/api/src/orders/store.ts': `export { S3MediaStore } from '@back-office/storage-s3';` },
  },
  {
    situation: 'two files that import each other’s types',
    rule: 'no-cycles',
    files: {
      'packages/media/src/file.ts': `import type { Folder } from './folder.js'; export interface File { folder: Folder }`,
      'packages/media/src/folder.ts': `export type { File } from './file.js'; export type Folder = string;`,
    },
  },
  {
    situation: 'an import from inside a package',
    rule: 'packages-through-their-index',
    files: { 'apps/api/src/orders/total.ts': `export type { Cents } from '@back-office/kernel/src/money.js';` },
  },
  {
    situation: 'a path into another package',
    rule: 'packages-by-their-name',
    files: { 'packages/proforma/src/total.ts': `export type { Cents } from '../../kernel/src/index.js';` },
  },
  {
    situation: 'a use case that imports a test builder of a package',
    rule: 'testing-only-from-tests',
    files: { 'apps/api/src/orders/sample.ts': `export { aProforma } from '@back-office/proforma/testing';` },
  },
  {
    situation: 'a pure package that imports the API',
    rule: 'packages-never-import-apps',
    files: { 'packages/proforma/src/settings.ts': `export { config } from '@back-office/api/config';` },
  },
  {
    situation: 'an adapter that imports the API',
    rule: 'adapters-never-import-apps',
    files: { 'packages/storage-s3/src/settings.ts': `export { config } from '@back-office/api/config';` },
  },
  {
    situation: 'a feature that bypasses the index of another',
    rule: 'features-through-their-index',
    files: { 'apps/api/src/orders/pay.ts': `export { payProforma } from '../proformas/pay-proforma.js';` },
  },
  {
    situation: 'HTTP code that imports a feature',
    rule: 'http-knows-no-feature',
    files: { 'apps/api/src/http/routes.ts': `export { payProforma } from '../proformas/index.js';` },
  },
  {
    situation: 'a package that exports only its build',
    rule: 'workspace-imports-reach-the-source',
    files: {
      'packages/consent/package.json': `{ "type": "module", "exports": "./dist/index.js" }`,
      'packages/consent/dist/index.js': `export const consent = 1;`,
      'apps/api/src/customers/forget.ts': `export { consent } from '@back-office/consent';`,
    },
  },
  {
    situation: 'an import of a missing file',
    rule: 'imports-resolve',
    files: { 'apps/api/src/orders/ship.ts': `export { parcel } from './parcel.js';` },
  },
  {
    situation: 'a pure package that reads the process',
    rule: 'eslint(no-restricted-globals)',
    files: { 'packages/proforma/src/who.ts': `export const who = process.pid;` },
  },
  {
    situation: 'a pure package that calls Date.now',
    rule: 'eslint(no-restricted-properties)',
    files: { 'packages/proforma/src/today.ts': `export const today = Date.now();` },
  },
  {
    situation: 'a pure package that calls new Date',
    rule: 'pure-packages-read-no-clock',
    files: { 'packages/proforma/src/second-today.ts': `export const today = new Date();` },
  },
  {
    situation: 'a use case that prints',
    rule: 'eslint(no-console)',
    files: { 'apps/api/src/orders/print.ts': `console.log('printed');` },
  },
  {
    situation: 'a use case that reads the environment',
    rule: 'node(no-process-env)',
    files: { 'apps/api/src/orders/mode.ts': `export const mode = process.env['MODE'];` },
  },
  {
    situation: 'a use case that reads `env` from the process object',
    rule: 'no-back-door-to-the-environment',
    files: { 'apps/api/src/orders/second-mode.ts': `export const { env } = process;` },
  },
  {
    situation: 'a default export',
    rule: 'import(no-default-export)',
    files: { 'apps/api/src/orders/second-order.ts': `export default class Order {}` },
  },
  {
    situation: 'a file named after a class',
    rule: 'names-in-kebab-case',
    files: { 'apps/api/src/orders/PlaceOrder.ts': `export const x = 1;` },
  },
  {
    situation: 'a catch-all folder',
    rule: 'no-catch-all-folders',
    files: { 'apps/api/src/orders/helpers/dates.ts': `export const x = 1;` },
  },
  {
    situation: 'a use case that selects',
    rule: 'sql-only-in-the-database-adapter',
    files: { 'apps/api/src/orders/find.ts': 'export const find = `select id\n from orders where id = ${1}`;' },
  },
  {
    situation: 'an inline type import',
    rule: 'types-are-imported-at-the-top',
    files: { 'packages/proforma/src/second-total.ts': `export type Total = import('./index.js').Proforma['total'];` },
  },
];

const ruleNames = [
  ...(importRules.forbidden ?? []).map(({ name }) => name),
  ...nameRules,
  ...Object.keys(fileRules),
  ...Object.keys(codeRules),
];

const cacheFolder = join(repositoryPath, '.cache');
let treesFolder: string;
let nameViolationsInTrees: readonly Violation[];
let violations: readonly Violation[];

// The tools start slowly, so one run checks all examples, in one tree with separate files for each example.
beforeAll(async () => {
  mkdirSync(cacheFolder, { recursive: true });
  treesFolder = mkdtempSync(join(cacheFolder, 'architecture-'));
  writeTree('valid', {});
  writeTree('forbidden', Object.assign({}, ...forbiddenExamples.map(({ files }) => files)) as Files);
  nameViolationsInTrees = await forbiddenNames(treesFolder, readdirSync(treesFolder));
  violations = await violationsInTree('forbidden');
});

afterAll(() => rmSync(treesFolder, { recursive: true }));

function violationsInTree(tree: string): Promise<Violation[]> {
  return violationsIn(
    join(treesFolder, tree),
    nameViolationsInTrees.filter(({ file }) => file.startsWith(`${tree}/`)),
  );
}

/** Removes the folder of the example tree, which comes first in every path that the linter reports. */
function withoutTree(file: string): string {
  return file.replace(/^forbidden\//, '');
}

// A second package with the same name would make Jest fail, so these manifests have no name.
const manifest = JSON.stringify({
  type: 'module',
  exports: {
    '.': { 'back-office:source': './src/index.ts' },
    './testing': { 'back-office:source': './testing/index.ts' },
  },
});

function writeTree(tree: string, additionalFiles: Files): string {
  const root = join(treesFolder, tree);
  const files = { 'package.json': '{}', 'tsconfig.json': '{}', ...validTree, ...additionalFiles };
  for (const [file, text] of Object.entries(files)) write(join(root, file), text);
  mkdirSync(join(root, 'node_modules/@back-office'), { recursive: true });
  for (const name of readdirSync(join(root, 'packages'))) {
    const packageFolder = join(root, 'packages', name);
    if (!existsSync(join(packageFolder, 'package.json'))) write(join(packageFolder, 'package.json'), manifest);
    symlinkSync(packageFolder, join(root, 'node_modules/@back-office', name));
  }
  copyFileSync(join(repositoryPath, '.oxlintrc.json'), join(root, '.oxlintrc.json'));
  return root;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

describe('this repository', () => {
  it('keeps every rule', async () => {
    expect(await violationsIn(repositoryPath, await forbiddenNames(repositoryPath, ['.']))).toEqual([]);
  }, 120_000);
});

describe('a valid tree', () => {
  it('keeps every rule', async () => {
    expect(await violationsInTree('valid')).toEqual([]);
  });
});

describe.each(forbiddenExamples)('$situation', ({ rule, files }) => {
  it(`breaks only ${rule}`, () => {
    const ownViolations = violations.filter(({ file }) => Object.hasOwn(files, withoutTree(file)));
    expect([...new Set(ownViolations.map((violation) => violation.rule))]).toEqual([rule]);
  });
});

describe('the forbidden examples', () => {
  it('use separate files, and break no rule in the files of other examples', () => {
    const files = forbiddenExamples.flatMap((example) => Object.keys(example.files));
    expect(new Set(files).size).toBe(files.length);
    expect(violations.filter(({ file }) => !files.includes(withoutTree(file)))).toEqual([]);
  });

  it('break every rule at least once', () => {
    expect(ruleNames.filter((rule) => !forbiddenExamples.some((example) => example.rule === rule))).toEqual([]);
  });
});

describe('a floating promise', () => {
  it('is reported by the linter, which reads type information', async () => {
    const file = 'apps/api/src/orders/ship.ts';
    const root = writeTree('a forgotten promise', {
      [file]: `export const ship = () => { Promise.resolve('shipped'); };`,
    });
    expect(await oxlint(root, ['--type-aware', file])).toContain('no-floating-promises');
  });
});
