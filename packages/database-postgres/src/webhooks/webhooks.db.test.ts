import { webhooksContract } from '@back-office/events/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openFixture } from '../../testing/open-fixture.js';

describe('webhooks in PostgreSQL', () => {
  webhooksContract(runnerOf(globalThis), openFixture);
});
