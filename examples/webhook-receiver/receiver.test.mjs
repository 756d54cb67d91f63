import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { EventLog } from './event-log.mjs';
import { createReceiver } from './receiver.mjs';

const SECRET = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 'b').toString('base64')}`;

let folder;
let log;
let errors;
let server;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'receiver-'));
  await start();
});

afterEach(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

async function start() {
  log = await EventLog.open(join(folder, 'events.jsonl'));
  errors = [];
  server = createReceiver(SECRET, log, (error) => errors.push(error)).listen(0);
  await once(server, 'listening');
}

async function stop() {
  await new Promise((resolve) => server.close(resolve));
  await log.close();
}

const eventOf = (number, fields = {}) => ({
  id: String(number),
  source: '/apps/1',
  type: 'order.shipped',
  subject: 'orders/5',
  sequence: String(number).padStart(16, '0'),
  data: { id: 5, buyer: 'Müller' },
  ...fields,
});

async function deliver(event, { secret = SECRET, id = `msg_1_${event.id}`, method = 'POST' } = {}) {
  const body = JSON.stringify(event);
  const at = new Date();
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
  const url = `http://127.0.0.1:${server.address().port}/`;
  const response = await fetch(url, { method, headers, ...(method === 'POST' ? { body } : {}) });
  await response.arrayBuffer();
  return response.status;
}

async function storedEvents() {
  const text = await readFile(join(folder, 'events.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).event);
}

describe('a receiver', () => {
  it('stores an event with its text unchanged', async () => {
    assert.equal(await deliver(eventOf(1)), 204);
    assert.deepEqual(await storedEvents(), [eventOf(1)]);
  });

  it('stores a repeated event once, even when both arrive at the same time', async () => {
    assert.deepEqual(await Promise.all([1, 1, 1].map((number) => deliver(eventOf(number)))), [204, 204, 204]);
    assert.equal(await deliver(eventOf(1)), 204);
    assert.deepEqual(await storedEvents(), [eventOf(1)]);
  });

  it('ignores an event older than the last one of its record', async () => {
    const otherRecords = [eventOf(1, { subject: 'orders/6' }), eventOf(1, { source: '/apps/2' })];
    assert.equal(await deliver(eventOf(2)), 204);
    assert.equal(await deliver(eventOf(1)), 204);
    for (const [index, event] of otherRecords.entries()) await deliver(event, { id: `msg_2_${index}` });
    assert.deepEqual(await storedEvents(), [eventOf(2), ...otherRecords]);
  });

  it('stores each test message once, although it has no sequence', async () => {
    const message = { id: 'a', source: '/apps/1', type: 'webhook.test', subject: 'webhook_endpoints/1', data: {} };
    for (const id of ['a', 'b', 'a']) assert.equal(await deliver({ ...message, id }), 204);
    assert.equal((await storedEvents()).length, 2);
  });

  it('refuses a wrong signature, a large body and methods other than POST', async () => {
    assert.equal(await deliver(eventOf(1), { secret: OTHER_SECRET }), 400);
    assert.equal(await deliver(eventOf(1, { data: 'a'.repeat(1_000_000) })), 413);
    assert.equal(await deliver(eventOf(1), { method: 'GET' }), 405);
    assert.deepEqual(await storedEvents(), []);
  });

  it('recognizes stored events after a restart', async () => {
    await deliver(eventOf(2));
    await stop();
    await start();
    await deliver(eventOf(2));
    await deliver(eventOf(1));
    assert.deepEqual(await storedEvents(), [eventOf(2)]);
  });

  it('removes an incomplete last line and accepts its event again', async () => {
    await deliver(eventOf(1));
    await stop();
    await appendFile(join(folder, 'events.jsonl'), JSON.stringify({ webhook_id: 'msg_1_2', event: eventOf(2) }));
    await start();
    assert.equal(await deliver(eventOf(2)), 204);
    assert.deepEqual(await storedEvents(), [eventOf(1), eventOf(2)]);
  });

  it('answers 500 when the file cannot be written', async () => {
    await log.close();
    assert.equal(await deliver(eventOf(1)), 500);
    assert.equal(errors.length, 1);
  });
});

describe('a log', () => {
  it('writes and syncs the file before it returns a result', async () => {
    const calls = [];
    const file = { appendFile: async () => calls.push('append'), sync: async () => calls.push('sync') };
    assert.equal(await new EventLog(file).store('msg_1_1', eventOf(1)), 'stored');
    assert.deepEqual(calls, ['append', 'sync']);
  });

  it('stores nothing after a failed write', async () => {
    let writes = 0;
    const file = { appendFile: async () => (writes += 1), sync: () => Promise.reject(new Error('disk full')) };
    const failedLog = new EventLog(file);
    await assert.rejects(failedLog.store('msg_1_1', eventOf(1)), /disk full/);
    await assert.rejects(failedLog.store('msg_1_1', eventOf(1)), /disk full/);
    assert.equal(writes, 1);
  });
});
