import { pino } from 'pino';
import { RejectionLog } from './rejection-log.js';

const lines: Record<string, unknown>[] = [];
const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line) as never) });
let nowMs: number;
let log: RejectionLog;
const note = (caller: string) => log.note('token failed', caller, { address: caller });
const countsOf = () => lines.map(({ address, count }) => [address, count]);

beforeEach(() => {
  lines.length = 0;
  nowMs = 0;
  log = new RejectionLog(logger, () => nowMs);
});

describe('the log of rejections', () => {
  it('shows the first rejection of a caller immediately', () => {
    note('a');
    note('b');
    expect(lines).toMatchObject([
      { msg: 'token failed', level: 40, address: 'a', count: 1 },
      { address: 'b', count: 1 },
    ]);
  });

  it('counts the further rejections of a minute in one line', () => {
    for (let call = 0; call < 500; call += 1) note('a');
    nowMs = 59_999;
    note('a');
    expect(countsOf()).toEqual([['a', 1]]);
    nowMs = 60_000;
    note('b');
    expect(countsOf()).toEqual([
      ['a', 1],
      ['a', 500],
      ['b', 1],
    ]);
    note('a');
    expect(countsOf().at(-1)).toEqual(['a', 1]);
  });

  it('shows at most a thousand callers a minute', () => {
    for (let caller = 0; caller < 5_000; caller += 1) note(String(caller));
    expect(lines).toHaveLength(1_000);
    nowMs = 60_000;
    note('later');
    expect(lines).toHaveLength(1_001);
  });
});
