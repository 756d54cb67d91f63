import { runnerOf } from '@back-office/kernel/testing';
import { mediaLibraryContracts, type MediaLibraryFixture } from '@back-office/media/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { type TestDatabase, makeTestDatabase } from '../../testing/index.js';
import { dataSourceFor } from '../connection/data-source.js';
import { portsOf } from '../ports.js';
import { Postgres } from '../connection/postgres.js';

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

let testDatabase: TestDatabase;
let database: Postgres;

beforeAll(async () => {
  testDatabase = await makeTestDatabase();
  database = await Postgres.open(dataSourceFor(testDatabase.connection, 8));
});
afterAll(async () => {
  await database.source.destroy();
  await testDatabase.drop();
});

function openLibrary(): MediaLibraryFixture {
  const clock = new TestClock();
  const base = 'https://files.test/media';
  let isPublished = false;
  const ports = portsOf(database, testDatabase.connection, {
    clock,
    publicBase: () => base,
    isPublished: () => isPublished,
  });
  const queue = ports.jobQueue(2);
  return {
    ports,
    queue,
    clock,
    base,
    setPublished: (value) => (isPublished = value),
    makeApp: async ({ autoHideUnusedDays, servesTrash = true } = {}) => {
      const id = await ports.apps.create({ name: 'Test', currency: 'RSD' });
      const media = { auto_hide_unused_days: autoHideUnusedDays ?? null, serve_trash: servesTrash };
      if (autoHideUnusedDays !== undefined || !servesTrash) await ports.apps.patch(id, { media });
      return { id, prefix: (await ports.appQueries.find(id))?.media_prefix ?? '' };
    },
    waitForQueue: async (seconds) => pause(seconds * 1_000),
    close: () => queue.close(),
  };
}

describe('the media library on PostgreSQL', () => {
  mediaLibraryContracts(runnerOf(globalThis), async () => openLibrary());
});
