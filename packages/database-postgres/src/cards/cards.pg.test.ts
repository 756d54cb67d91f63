import { cardsContract } from '@back-office/customers/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openFixture } from '../../testing/open-fixture.js';

const runner = runnerOf(globalThis);

describe('cards in PostgreSQL', () => {
  cardsContract(runner, openFixture);
});
