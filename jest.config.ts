/** @jest-config-loader esbuild-register */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

// An offset from UTC of 5:30 hours reveals code that uses local time.
process.env['TZ'] = 'Asia/Kolkata';

const SERVICE_TESTS = ['<rootDir>/apps/*/src/**/*.{api,db}.test.ts', '<rootDir>/packages/*/src/**/*.db.test.ts'];

/** An API test whose source matches this pattern needs PostgreSQL. All others run on any database. */
const QUERIES_POSTGRES =
  /\.(?:database|postgres|statements|recordUsage|reschedule)\b|\bapi\.url\b|database-postgres|load-rows|server-process|a-day\.js/;
const ANY_DATABASE = readdirSync('apps/api/src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.api.test.ts'))
  .map((file) => `apps/api/src/${file}`)
  .filter((file) => !QUERIES_POSTGRES.test(readFileSync(file, 'utf8')));

/**
 * A suite whose source matches this pattern needs a single PostgreSQL server. It counts writes by triggers, reads plans,
 * or depends on statistics. Or it lists or changes the schema, simulates a cluster, or breaks records with statements
 * that a cluster refuses.
 */
const NEEDS_ONE_SERVER =
  /watchWrites|create (?:constraint )?trigger|planOf|explainStatement|explain \(|CitusStandIn|findSchemaBreaches|withCustomPlans|MAX_SLOWDOWN|the defined tables|describe\('(?:the check|a filled database of the first migration)'/;
const NOT_ON_A_CLUSTER = ['apps/api/src', 'packages/database-postgres/src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.(?:api|db)\.test\.ts$/.test(file) && NEEDS_ONE_SERVER.test(readFileSync(file, 'utf8'))),
);

const shared: Config = {
  runtime: '<rootDir>/apps/api/src/testing/native-runtime.cjs',
  testEnvironment: 'node',
  testRunner: '<rootDir>/apps/api/src/testing/measured-suite.cjs',
  transform: {},
  modulePathIgnorePatterns: ['/dist/'],
};

const onMemory: Config = {
  ...shared,
  displayName: 'memory',
  testMatch: ANY_DATABASE.map((file) => `<rootDir>/${file}`),
};

/** Packages with a server, native code or WebAssembly have slow tests. */
const ADAPTERS = '/packages/(?:database-postgres|facts|images|pages|parser|process|storage)\\b';
const ignored = ['/node_modules/', '[.](?:api|browser|db)[.]test[.]ts$'];

const onPostgres: Config[] = [
  {
    ...shared,
    displayName: 'pure',
    testMatch: ['<rootDir>/packages/*/src/**/*.test.ts'],
    testPathIgnorePatterns: [...ignored, ADAPTERS],
  },
  {
    ...shared,
    displayName: 'adapters',
    testMatch: ['<rootDir>/packages/*/src/**/*.test.ts', '<rootDir>/apps/*/src/**/*.test.ts'],
    testPathIgnorePatterns: [...ignored, '/packages/(?!database-postgres|facts|images|pages|parser|process|storage)'],
  },
  {
    ...shared,
    displayName: 'service',
    testMatch: SERVICE_TESTS,
    testPathIgnorePatterns: ['/node_modules/', ...(process.env['CLUSTER'] === '1' ? NOT_ON_A_CLUSTER : [])],
    globalSetup: '<rootDir>/apps/api/src/testing/global-setup.mjs',
    globalTeardown: '<rootDir>/apps/api/src/testing/global-teardown.mjs',
  },
];

const inBrowser: Config = {
  ...shared,
  displayName: 'browser',
  testMatch: ['<rootDir>/apps/*/src/**/*.browser.test.ts'],
};

function projectsOf({ DATABASE_UNDER_TEST: database, TEST_BROWSER: browser }: NodeJS.ProcessEnv): Config[] {
  // Chromium is not on every machine, so `npm test` does not need it.
  if (browser === '1') return [inBrowser];
  return database === 'memory' ? [onMemory] : onPostgres;
}

const config: Config = {
  projects: projectsOf(process.env),
  // One worker more than cores, because suites wait for PostgreSQL and child processes.
  maxWorkers: availableParallelism() + 1,
  testSequencer: '<rootDir>/apps/api/src/testing/slowest-first.mjs',
  reporters: ['default', '<rootDir>/apps/api/src/testing/times-reporter.mjs'],
  testTimeout: 30_000,
};

export default config;
