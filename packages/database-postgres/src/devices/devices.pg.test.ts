import { devicesContract } from '@back-office/consent/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openFixture } from '../../testing/open-fixture.js';

const runner = runnerOf(globalThis);

describe('devices in PostgreSQL', () => {
  devicesContract(runner, openFixture);
});
