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

describe('access tokens in memory', () => {
  accessTokensContract(runner, openFixture);
});

describe('apps in memory', () => {
  appsContract(runner, openFixture);
});

describe('the administration of tokens in memory', () => {
  tokenAdministrationContract(runner, openFixture);
});

describe('the audit log in memory', () => {
  auditLogContract(runner, openFixture);
});

describe('conditional writes in memory', () => {
  conditionalWritesContract(runner, openFixture);
});
