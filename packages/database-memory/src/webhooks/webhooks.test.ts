import { webhooksContract } from '@back-office/events/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openFixture } from '../../testing/open-fixture.js';

describe('webhooks in memory', () => {
  webhooksContract(runnerOf(globalThis), openFixture);
});
