import { runnerOf } from '@back-office/kernel/testing';
import { mediaLibraryContracts, type MediaLibraryFixture } from '@back-office/media/testing';
import { MemoryApps } from '../apps/memory-apps.js';
import { State } from '../state.js';
import { mediaPortsOf } from './media-ports.js';
import { MemoryJobQueue } from './memory-job-queue.js';

const START = Date.parse('2026-11-21T10:00:00Z');
const HOUR_MS = 3_600_000;

class TestClock {
  private time = START;

  now(): Date {
    return new Date(this.time);
  }

  forward({ hours }: { readonly hours: number }): void {
    this.time += hours * HOUR_MS;
  }
}

function open(): MediaLibraryFixture {
  const [state, clock] = [new State(), new TestClock()];
  const library = { base: 'https://files.test/media', isPublished: false };
  const apps = new MemoryApps(state, clock);
  return {
    ports: mediaPortsOf(state, clock, library),
    queue: new MemoryJobQueue(state, clock),
    clock,
    base: library.base,
    setPublished: (isPublished) => (library.isPublished = isPublished),
    makeApp: async ({ autoHideUnusedDays, servesTrash = true } = {}) => {
      const id = await apps.create({ name: 'Test', currency: 'RSD' });
      const media = { auto_hide_unused_days: autoHideUnusedDays ?? null, serve_trash: servesTrash };
      if (autoHideUnusedDays !== undefined || !servesTrash) await apps.patch(id, { media });
      return { id, prefix: (await apps.find(id))?.media_prefix ?? '' };
    },
    waitForQueue: async (seconds) => clock.forward({ hours: seconds / 3_600 }),
    close: async () => {},
  };
}

describe('the media library in memory', () => {
  mediaLibraryContracts(runnerOf(globalThis), async () => open());
});
