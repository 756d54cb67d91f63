import type { Calls } from '@back-office/database';
import { pino } from 'pino';
import { Readiness } from './readiness.js';

describe('readiness', () => {
  const brokenParts = { database: false, storage: false };
  let logLines: { msg: string; failed?: { part: string; error: { message: string; code: string } }[] }[];
  let nowMs: number;
  let pings: number;
  let readiness: Readiness;

  beforeEach(() => {
    Object.assign(brokenParts, { database: false, storage: false });
    logLines = [];
    nowMs = 0;
    const logger = pino({ base: null }, { write: (line: string) => logLines.push(JSON.parse(line)) });
    pings = 0;
    const ping = (part: keyof typeof brokenParts) => ({
      ping: async () => {
        pings += 1;
        if (brokenParts[part]) throw Object.assign(new Error(`no ${part}`), { code: 'EROFS' });
      },
    });
    const database = { calls: { runFor: (_, work) => work() } as Calls, health: ping('database') };
    readiness = new Readiness(database, ping('storage'), logger, { now: () => new Date(nowMs) });
  });

  it('logs nothing while all parts respond', async () => {
    expect(await readiness.check()).toBe(true);
    expect(logLines).toEqual([]);
  });

  it('logs a failing part with its error, and its recovery', async () => {
    brokenParts.storage = true;
    expect(await readiness.check()).toBe(false);
    expect(logLines).toMatchObject([
      { msg: 'not ready', failed: [{ part: 'storage', error: { message: 'no storage', code: 'EROFS' } }] },
    ]);
    brokenParts.storage = false;
    nowMs += 1_000;
    expect(await readiness.check()).toBe(true);
    expect(logLines.map(({ msg }) => msg)).toEqual(['not ready', 'ready again']);
  });

  it('logs a lasting failure every minute, and a new failure immediately', async () => {
    brokenParts.storage = true;
    for (nowMs = 0; nowMs < 120_000; nowMs += 10_000) await readiness.check();
    expect(logLines).toHaveLength(2);
    brokenParts.database = true;
    nowMs += 1_000;
    await readiness.check();
    expect(logLines.at(-1)?.failed?.map(({ part }) => part)).toEqual(['database', 'storage']);
  });

  it('keeps its result for a second', async () => {
    const checkAt = (milliseconds: number) => {
      nowMs = milliseconds;
      return readiness.check();
    };
    expect(await Promise.all([checkAt(5_000), checkAt(5_000), checkAt(5_999)])).toEqual([true, true, true]);
    expect(pings).toBe(2);
    brokenParts.database = true;
    expect(await checkAt(6_000)).toBe(false);
    expect(await checkAt(1_000)).toBe(false);
    expect(pings).toBe(6);
  });
});
