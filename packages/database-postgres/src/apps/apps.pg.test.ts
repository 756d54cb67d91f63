import {
  accessTokensContract,
  appsContract,
  auditLogContract,
  tokenAdministrationContract,
} from '@back-office/apps/testing';
import { conditionalWritesContract } from '@back-office/database/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openFixture } from '../../testing/open-fixture.js';

const runner = runnerOf(globalThis);

describe('access tokens in PostgreSQL', () => {
  accessTokensContract(runner, openFixture);
});

describe('apps in PostgreSQL', () => {
  appsContract(runner, openFixture);
});

describe('the administration of tokens in PostgreSQL', () => {
  tokenAdministrationContract(runner, openFixture);
});

describe('the audit log in PostgreSQL', () => {
  auditLogContract(runner, openFixture);
});

describe('conditional writes in PostgreSQL', () => {
  conditionalWritesContract(runner, openFixture);
});
