import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RECEIVER_PATH = fileURLToPath(new URL('../../../../examples/webhook-receiver/receiver.mjs', import.meta.url));
const KEY = randomBytes(32);

interface DeliveredEvent {
  readonly id: string;
  readonly source: string;
  readonly subject: string;
  /** Absent in test messages. */
  readonly sequence?: string;
  readonly data: object;
}

let folder: string;
let child: ChildProcess;
let origin: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhook-receiver-'));
  await startReceiver();
});
afterEach(async () => {
  await stopReceiver('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function startReceiver(): Promise<void> {
  const env = {
    PATH: process.env['PATH'],
    WEBHOOK_SECRET: `whsec_${KEY.toString('base64')}`,
    EVENTS_FILE: join(folder, 'events.jsonl'),
    PORT: '0',
  };
  const startedProcess = spawn(process.execPath, [RECEIVER_PATH], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  child = startedProcess;
  origin = await new Promise((resolve, reject) => {
    startedProcess.stdout.on('data', (chunk: Buffer) => {
      const [, port] = /Listening on port (\d+)/.exec(chunk.toString()) ?? [];
      if (port) resolve(`http://127.0.0.1:${port}`);
    });
    startedProcess.once('exit', (code) => reject(new Error(`The receiver ended with ${code}`)));
  });
}

async function stopReceiver(signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, 'exit');
  }
  return child.exitCode;
}

function eventOf(number: number, subject = 'orders/5'): DeliveredEvent {
  const sequence = String(number).padStart(16, '0');
  return { id: String(number), source: '/apps/1', subject, sequence, data: { buyer: 'Müller' } };
}

async function deliver(event: DeliveredEvent, { key = KEY, ageSeconds = 0 } = {}): Promise<number> {
  const body = JSON.stringify(event);
  const id = `msg_1_${event.id}`;
  const timestamp = Math.floor(Date.now() / 1_000) - ageSeconds;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${randomBytes(32).toString('base64')} v1,${signature}`,
  };
  const response = await fetch(origin, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

async function storedLines(): Promise<unknown[]> {
  const text = await readFile(join(folder, 'events.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const lineOf = (event: DeliveredEvent): object => ({ webhook_id: `msg_1_${event.id}`, event });

describe('the example of a webhook receiver', () => {
  it('stores new events, but neither repeated nor older events', async () => {
    const numbers = [2, 2, 1, 3];
    const statuses: number[] = [];
    for (const number of numbers) statuses.push(await deliver(eventOf(number)));
    statuses.push(await deliver(eventOf(0, 'orders/6')));
    expect(statuses).toEqual([204, 204, 204, 204, 204]);
    expect(await storedLines()).toEqual([eventOf(2), eventOf(3), eventOf(0, 'orders/6')].map(lineOf));
  });

  it('stores a test message once', async () => {
    const message = { id: 'a', source: '/apps/1', subject: 'webhook_endpoints/1', data: {} };
    expect(await Promise.all([message, message].map((event) => deliver(event)))).toEqual([204, 204]);
    expect(await storedLines()).toEqual([lineOf(message)]);
  });

  it('refuses forged and old deliveries', async () => {
    expect(await deliver(eventOf(1), { key: randomBytes(32) })).toBe(400);
    expect(await deliver(eventOf(1), { ageSeconds: 6 * 60 })).toBe(400);
    expect(await storedLines()).toEqual([]);
  });

  it('keeps its stored events when it is killed', async () => {
    expect(await deliver(eventOf(2))).toBe(204);
    await stopReceiver('SIGKILL');
    await startReceiver();
    expect(await Promise.all([2, 1].map((number) => deliver(eventOf(number))))).toEqual([204, 204]);
    expect(await storedLines()).toEqual([lineOf(eventOf(2))]);
  });

  it('exits with 0 on SIGTERM', async () => {
    await deliver(eventOf(1));
    expect(await stopReceiver('SIGTERM')).toBe(0);
  });
});
