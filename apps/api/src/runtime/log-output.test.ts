import { mock } from 'node:test';
import { pino } from 'pino';
import { LogOutput } from './log-output.js';

describe('the output of log lines', () => {
  let written: string[];
  let log: pino.Logger;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    written = [];
    let waiting = '';
    const output = {
      write: (text: string) => (waiting += text),
      flush: () => {
        written.push(...waiting.split('\n').filter((line) => line !== ''));
        waiting = '';
      },
    };
    log = pino({}, new LogOutput(output));
  });
  afterEach(() => mock.timers.reset());

  const messages = (): string[] => written.map((line) => (JSON.parse(line) as { msg: string }).msg);

  it('collects lines for 200 ms', () => {
    log.info('a');
    mock.timers.tick(150);
    log.info('b');
    expect(messages()).toEqual([]);
    mock.timers.tick(50);
    expect(messages()).toEqual(['a', 'b']);
    log.info('c');
    mock.timers.tick(199);
    expect(messages()).toEqual(['a', 'b']);
    mock.timers.tick(1);
    expect(messages()).toEqual(['a', 'b', 'c']);
  });

  it.each(['warn', 'error', 'fatal'] as const)('writes a line of level %s at once, after earlier lines', (level) => {
    log.info('a');
    log[level]('b');
    expect(messages()).toEqual(['a', 'b']);
  });
});
