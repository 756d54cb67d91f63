import { sessionAdministrationContract, sessionsContract } from '@back-office/apps/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openFixture } from '../../testing/open-fixture.js';

const runner = runnerOf(globalThis);

describe('sessions in PostgreSQL', () => {
  sessionsContract(runner, openFixture);
});

describe('the administration of sessions in PostgreSQL', () => {
  sessionAdministrationContract(runner, openFixture);
});
