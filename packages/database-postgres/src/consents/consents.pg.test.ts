import { consentHistoryContract, consentsContract } from '@back-office/consent/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openFixture } from '../../testing/open-fixture.js';

const runner = runnerOf(globalThis);

describe('consents in PostgreSQL', () => {
  consentsContract(runner, openFixture);
});

describe('the history of consents in PostgreSQL', () => {
  consentHistoryContract(runner, openFixture);
});
