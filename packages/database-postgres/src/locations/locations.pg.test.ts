import { attendancesContract, locationsContract } from '@back-office/locations/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openFixture } from '../../testing/open-fixture.js';

const runner = runnerOf(globalThis);

describe('attendances in PostgreSQL', () => {
  attendancesContract(runner, openFixture);
});

describe('locations in PostgreSQL', () => {
  locationsContract(runner, openFixture);
});
