import { pino } from 'pino';
import { Readiness } from './readiness.js';

describe('readiness', () => {
  const brokenParts = { database: false, storage: false };
  let logLines: { msg: string; failed?: { part: string; error: { message: string; code: string } }[] }[];
  let nowMs: number;
  let readiness: Readiness;

  beforeEach(() => {
    Object.assign(brokenParts, { database: false, storage: false });
    logLines = [];
    nowMs = 0;
    const logger = pino({ base: null }, { write: (line: string) => logLines.push(JSON.parse(line)) });
    const ping = (part: keyof typeof brokenParts) => ({
      ping: async () => {
        if (brokenParts[part]) throw Object.assign(new Error(`no ${part}`), { code: 'EROFS' });
      },
    });
    readiness = new Readiness(ping('database'), ping('storage'), logger, { now: () => new Date(nowMs) });
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
    expect(await readiness.check()).toBe(true);
    expect(logLines.map(({ msg }) => msg)).toEqual(['not ready', 'ready again']);
  });

  it('logs a lasting failure every minute and a new one at once', async () => {
    brokenParts.storage = true;
    for (nowMs = 0; nowMs < 120_000; nowMs += 10_000) await readiness.check();
    expect(logLines).toHaveLength(2);
    brokenParts.database = true;
    await readiness.check();
    expect(logLines.at(-1)?.failed?.map(({ part }) => part)).toEqual(['database', 'storage']);
  });
});
