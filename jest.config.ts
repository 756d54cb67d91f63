/** @jest-config-loader esbuild-register */
import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

// An offset from UTC of 5:30 hours reveals code that uses local time.
process.env['TZ'] = 'Asia/Kolkata';

const SOURCES = '<rootDir>/{apps/*/src,packages/*/src,tools}/**';

const shared: Config = {
  roots: ['<rootDir>/apps', '<rootDir>/packages', '<rootDir>/tools'],
  runtime: '<rootDir>/apps/api/src/testing/native-runtime.cjs',
  testEnvironment: 'node',
  testRunner: '<rootDir>/apps/api/src/testing/measured-suite.cjs',
  transform: {},
  modulePathIgnorePatterns: ['/dist/'],
  cacheDirectory: '<rootDir>/.cache/jest',
};

/** Starts one PostgreSQL server for all suites of a run. */
const withServer: Config = {
  ...shared,
  globalSetup: '<rootDir>/apps/api/src/testing/global-setup.mjs',
  globalTeardown: '<rootDir>/apps/api/src/testing/global-teardown.mjs',
};

/** Packages with a server, native code or WebAssembly have slow tests. */
const ADAPTERS = '(?:database-postgres|facts|images|pages|storage|upload)';
/** Files whose names have a word before `.test.ts` belong to other projects. */
const OTHER_PROJECTS = ['/node_modules/', '[.](?:api|pg|browser|check|full)[.][^/]*$'];

/** The endings of file names that choose these projects are listed in CONTRIBUTING.md. */
const TIERS: Readonly<Record<string, readonly Config[]>> = {
  check: [{ ...shared, displayName: 'check', testMatch: [`${SOURCES}/*.check.test.ts`] }],
  first: [
    {
      ...shared,
      displayName: 'pure',
      testMatch: ['<rootDir>/packages/*/src/**/*.test.ts'],
      testPathIgnorePatterns: [...OTHER_PROJECTS, `<rootDir>/packages/${ADAPTERS}\\b`],
    },
    {
      ...shared,
      displayName: 'adapters',
      testMatch: ['<rootDir>/packages/*/src/**/*.test.ts', '<rootDir>/apps/*/src/**/*.test.ts'],
      testPathIgnorePatterns: [...OTHER_PROJECTS, `<rootDir>/packages/(?!${ADAPTERS})`],
    },
    {
      ...withServer,
      displayName: 'service',
      testMatch: [`${SOURCES}/*.{api,pg}.test.ts`],
      testPathIgnorePatterns: ['/node_modules/', '[.]full[.][^/]*$'],
    },
  ],
  full: [
    { ...withServer, displayName: 'full', testMatch: [`${SOURCES}/*.full.*.test.ts`, `${SOURCES}/*.full.test.ts`] },
  ],
  memory: [
    {
      ...shared,
      displayName: 'memory',
      testMatch: [`${SOURCES}/*.api.test.ts`],
      testPathIgnorePatterns: ['[.]full[.][^/]*$'],
    },
  ],
};

const tier = process.env['TEST_TIER'] ?? 'first';
const projects = TIERS[tier];
if (projects === undefined)
  throw new Error(`TEST_TIER is ${tier}, but must be one of ${Object.keys(TIERS).join(', ')}`);

const config: Config = {
  projects: [...projects],
  // One worker more than cores, because suites wait for PostgreSQL and child processes.
  maxWorkers: availableParallelism() + 1,
  testSequencer: '<rootDir>/apps/api/src/testing/slowest-first.mjs',
  reporters: [
    'default',
    ...['progress', 'budget'].map((name) => `<rootDir>/apps/api/src/testing/${name}-reporter.mjs`),
  ],
  testTimeout: 30_000,
};

export default config;
