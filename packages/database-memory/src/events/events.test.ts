import { eventFeedContract } from '@back-office/events/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openFixture } from '../../testing/open-fixture.js';

describe('the feed of events in memory', () => {
  eventFeedContract(runnerOf(globalThis), openFixture);
});
