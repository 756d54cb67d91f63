import { pino } from 'pino';
import { Readiness } from './readiness.js';

describe('readiness', () => {
  const broken = { database: false, storage: false };
  let lines: { msg: string; failed?: { part: string; error: { message: string; code: string } }[] }[];
  let now: number;
  let readiness: Readiness;

  beforeEach(() => {
    Object.assign(broken, { database: false, storage: false });
    lines = [];
    now = 0;
    const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const ping = (part: keyof typeof broken) => ({
      ping: async () => {
        if (broken[part]) throw Object.assign(new Error(`no ${part}`), { code: 'EROFS' });
      },
    });
    readiness = new Readiness(ping('database'), ping('storage'), logger, { now: () => new Date(now) });
  });

  it('logs nothing while all parts respond', async () => {
    expect(await readiness.check()).toBe(true);
    expect(lines).toEqual([]);
  });

  it('logs a failing part with its error, and its recovery', async () => {
    broken.storage = true;
    expect(await readiness.check()).toBe(false);
    expect(lines).toMatchObject([
      { msg: 'not ready', failed: [{ part: 'storage', error: { message: 'no storage', code: 'EROFS' } }] },
    ]);
    broken.storage = false;
    expect(await readiness.check()).toBe(true);
    expect(lines.map(({ msg }) => msg)).toEqual(['not ready', 'ready again']);
  });

  it('logs a lasting failure every minute and a new one at once', async () => {
    broken.storage = true;
    for (now = 0; now < 120_000; now += 10_000) await readiness.check();
    expect(lines).toHaveLength(2);
    broken.database = true;
    await readiness.check();
    expect(lines.at(-1)?.failed?.map(({ part }) => part)).toEqual(['database', 'storage']);
  });
});
