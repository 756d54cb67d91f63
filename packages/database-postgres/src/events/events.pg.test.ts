import { eventFeedContract } from '@back-office/events/testing';
import { ManualClock, runnerOf } from '@back-office/kernel/testing';
import { openApp } from '../../testing/open-app.js';
import { openFixture } from '../../testing/open-fixture.js';
import { makeTestDatabase } from '../../testing/test-database.js';
import pg from 'pg';
import type { Postgres } from '../connection/postgres.js';
import { fileEventsSql } from '../connection/event-statements.js';
import { SqlEventFeed } from './sql-event-feed.js';

describe('the feed of events in PostgreSQL', () => {
  eventFeedContract(runnerOf(globalThis), openFixture);
});

describe('a statement that moves many files to Trash', () => {
  it('adds an event for each file', async () => {
    const testDatabase = await makeTestDatabase();
    const client = new pg.Client(testDatabase.url);
    await client.connect();
    const files = 'files as (select id from generate_series(1, 250) as id)';
    await client.query(`with ${files}, ${fileEventsSql('file.trashed', 'files', 'now()')} select $1::bigint`, [7]);
    const { rows } = await client.query<{ ids: string[] }>(
      'select array_agg(e.id) as ids from unplaced_events u cross join lateral unnest(u.record_ids) as e (id) where u.app_id = 7',
    );
    const { rows: rowCounts } = await client.query('select count(*)::int as rows from unplaced_events');
    await client.end();
    await testDatabase.drop();
    expect(rows[0]?.ids.map(Number)).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
    expect(rowCounts).toEqual([{ rows: 3 }]);
  });
});

describe('a backlog of events in a table without planner statistics', () => {
  const BACKLOG = 10_500;
  const MAX_SECONDS = 5;
  let postgres: Postgres;
  let appId: number;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ postgres, appId, close } = await openApp());
    await postgres.source.query('alter table unplaced_events set (autovacuum_enabled = false)');
    await postgres.source.query(
      `insert into unplaced_events (app_id, at, type, record_ids) values (${appId + 1}, now(), 'order.created', '{1}')`,
    );
    await postgres.source.query('vacuum (analyze) unplaced_events');
    await postgres.source.query(
      `insert into unplaced_events (app_id, at, type, record_ids)
       select ${appId}, now(), 'order.created', array[id] from generate_series(1, ${BACKLOG}) as id`,
    );
  });
  afterAll(() => close());

  it('gets its positions in the feed in linear time', async () => {
    const feed = new SqlEventFeed(postgres, new ManualClock());
    const startMs = performance.now();
    expect(await feed.lastPosition(appId)).toBe(BACKLOG);
    expect((performance.now() - startMs) / 1_000).toBeLessThan(MAX_SECONDS);
    const page = await feed.page(appId, 'start', { types: ['order.created'], limit: 2 });
    expect(page).toMatchObject({
      events: [
        { recordId: 1, position: 1 },
        { recordId: 2, position: 2 },
      ],
      hasMore: true,
    });
  });
});
