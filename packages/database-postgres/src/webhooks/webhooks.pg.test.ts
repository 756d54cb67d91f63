import { webhooksContract } from '@back-office/events/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openApp } from '../../testing/open-app.js';
import { openFixture } from '../../testing/open-fixture.js';
import type { Postgres } from '../connection/postgres.js';
import { makeDue } from './due-deliveries.js';

describe('webhooks in PostgreSQL', () => {
  webhooksContract(runnerOf(globalThis), openFixture);
});

describe('the deliveries of an endpoint in a table without planner statistics', () => {
  const DELIVERIES = 10_000;
  const RECORDS = 100;
  const MAX_SECONDS = 5;
  let postgres: Postgres;
  let appId: number;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ postgres, appId, close } = await openApp());
    await postgres.source.query('alter table webhook_deliveries set (autovacuum_enabled = false)');
    await postgres.source.query('alter table webhook_deliveries drop constraint webhook_deliveries_endpoint_fkey');
    await postgres.source.query(
      `insert into webhook_deliveries
         (app_id, endpoint_id, event_id, position, at, type, record_id, subject, status, attempts)
       select ${appId}, 1, n, n, now(), 'order.created', n % ${RECORDS}, 'orders/' || n % ${RECORDS}, 'pending', 1
       from generate_series(1, ${DELIVERIES}) as n`,
    );
  });
  afterAll(() => close());

  it('become due in linear time', async () => {
    const startMs = performance.now();
    await makeDue(postgres, { appId, endpointId: 1, due: 'restart', subjects: null, now: new Date() });
    expect((performance.now() - startMs) / 1_000).toBeLessThan(MAX_SECONDS);
    const due = await postgres.rows<{ position: number }>(
      'select position from webhook_deliveries where app_id = $1 and next_attempt_at is not null order by position',
      [appId],
    );
    expect(due.map(({ position }) => position)).toEqual(Array.from({ length: RECORDS }, (_, index) => index + 1));
  });
});
