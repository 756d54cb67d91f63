import { tmpdir } from 'node:os';
import pino from 'pino';
import { freeBytesOf, freeSpaceChoreOf } from './free-space.js';

describe('the check of free space', () => {
  it('warns only while less than the minimum is left', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const free = await freeBytesOf(tmpdir());
    expect(free).toBeGreaterThan(0);
    const { signal } = new AbortController();
    await freeSpaceChoreOf(tmpdir(), logger, 1).run(signal);
    expect(lines).toEqual([]);
    await freeSpaceChoreOf(tmpdir(), logger, Infinity).run(signal);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ msg: 'little space left', directory: tmpdir() });
  });
});
