/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

// Far from UTC, and not by whole hours: a local time that slips in shows.
process.env['TZ'] = 'Asia/Kolkata';

const swc = [
  '@swc/jest',
  {
    jsc: {
      target: 'es2022',
      keepClassNames: true,
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  },
] as [string, Record<string, unknown>];

const config: Config = {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['back-office:source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': swc },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testMatch: ['<rootDir>/packages/*/src/**/*.test.ts', '<rootDir>/apps/*/src/**/*.test.ts'],
  globalSetup: '<rootDir>/apps/api/src/testing/global-setup.mjs',
  globalTeardown: '<rootDir>/apps/api/src/testing/global-teardown.mjs',
  modulePathIgnorePatterns: ['/dist/'],
  // Jest would leave one core idle; much of the time is spent waiting for PostgreSQL and child processes.
  maxWorkers: '100%',
  workerIdleMemoryLimit: '768MB',
  testTimeout: 30_000,
};

export default config;
