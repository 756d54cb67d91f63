/** @jest-config-loader esbuild-register */
import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

// Far from UTC, and not by whole hours: a local time that slips in shows.
process.env['TZ'] = 'Asia/Kolkata';

const SERVICE_TESTS = ['<rootDir>/apps/*/src/**/*.api.test.ts', '<rootDir>/apps/*/src/**/*.db.test.ts'];

const shared: Config = {
  runtime: '<rootDir>/apps/api/src/testing/native-runtime.cjs',
  testEnvironment: 'node',
  transform: {},
  modulePathIgnorePatterns: ['/dist/'],
};

const config: Config = {
  projects: [
    {
      ...shared,
      displayName: 'pure',
      testMatch: ['<rootDir>/packages/*/src/**/*.test.ts', '<rootDir>/apps/*/src/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '[.](?:api|db)[.]test[.]ts$'],
    },
    {
      ...shared,
      displayName: 'service',
      testMatch: SERVICE_TESTS,
      globalSetup: '<rootDir>/apps/api/src/testing/global-setup.mjs',
      globalTeardown: '<rootDir>/apps/api/src/testing/global-teardown.mjs',
    },
  ],
  // One more than cores: suites wait for PostgreSQL and child processes.
  maxWorkers: availableParallelism() + 1,
  testSequencer: '<rootDir>/apps/api/src/testing/slowest-first.mjs',
  reporters: ['default', '<rootDir>/apps/api/src/testing/times-reporter.mjs'],
  testTimeout: 30_000,
};

export default config;
