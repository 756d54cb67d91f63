import { readFileSync } from 'node:fs';
import { findMisspelledVariables } from './config.js';

const suggestionsFor = (name: string, value = 'x') =>
  findMisspelledVariables({ [name]: value }).map(({ suggestion }) => suggestion);

describe('a misspelt variable', () => {
  it.each([
    ['a missing letter', 'DATABSE_URL', 'DATABASE_URL'],
    ['an additional letter', 'RATE__LIMIT', 'RATE_LIMIT'],
    ['another letter', 'DATABASE_URI', 'DATABASE_URL'],
    ['two swapped letters', 'DATABASE_ULR', 'DATABASE_URL'],
    ['swapped and additional letters', 'DATABASES_ULR', 'DATABASE_URL'],
    ['two missing letters', 'DATABASE_L', 'DATABASE_URL'],
    ['a missing underscore', 'LOGLEVEL', 'LOG_LEVEL'],
    ['a plural', 'S3_BUCKETS', 'S3_BUCKET'],
    ['the nearest of several', 'S3_SECRET_ACCESS_KY', 'S3_SECRET_ACCESS_KEY'],
    ['a short known name', 'PAGES_', 'PAGES'],
    ['a variable of Node', 'NODE_EVN', 'NODE_ENV'],
  ])('is found with %s: %s', (_, name, suggestion) => {
    expect(suggestionsFor(name)).toEqual([suggestion]);
  });

  it.each([
    ['is known itself', 'ADMIN_HOST'],
    ['has less than six letters', 'PROT'],
    ['has three other letters', 'DATABASE_KEY'],
    ['is two letters from a short name', 'REPORT'],
  ])('is not reported if it %s: %s', (_, name) => {
    expect(suggestionsFor(name)).toEqual([]);
  });

  it('is not reported without a value, which counts as unset', () => {
    expect(suggestionsFor('DATABSE_URL', '')).toEqual([]);
  });

  it('is not reported if Kubernetes names the port of a service in it', () => {
    expect(suggestionsFor('WORKERS_PORT', 'tcp://10.0.0.1:80')).toEqual([]);
    expect(suggestionsFor('WORKERS_PORT', '8080')).toEqual(['WORKER_PORT']);
  });
});

/** Variables that other programs set, as groups of names. */
const FOREIGN_VARIABLES = readFileSync(new URL('testing/foreign-variables.txt', import.meta.url), 'utf8');
const groups = [...FOREIGN_VARIABLES.matchAll(/^(\S.*):\n((?: {2}.+\n)+)/gm)].map(([, group = '', names = '']) => ({
  group,
  names: names.trim().split(/\s+/),
}));

describe('variables of other programs', () => {
  it.each(groups)('are not reported: $group', ({ names }) => {
    expect(names.length).toBeGreaterThan(10);
    expect(findMisspelledVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
  });
});
