import { keyedCallsContract } from '@back-office/apps/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openFixture } from '../../testing/open-fixture.js';

const runner = runnerOf(globalThis);

describe('keyed calls in PostgreSQL', () => {
  keyedCallsContract(runner, openFixture);
});
