import { ExportHealth } from './export-health.js';

const DEAD = { code: 1, error: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) };
const ALIVE = { code: 0 };

function open() {
  let result: { readonly code: number; readonly error?: Error } = ALIVE;
  const lines: string[] = [];
  const log = (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`);
  const health = new ExportHealth();
  health.reportTo({ warn: log, info: log });
  const exporter = health.watch<readonly number[]>('traces', {
    export: (_, onResult) => onResult(result),
    shutdown: () => Promise.resolve(),
  });
  const send = (next: typeof result): unknown[] => {
    result = next;
    const results: unknown[] = [];
    exporter.export([], (answer) => results.push(answer));
    return results;
  };
  return { health, lines, send };
}

describe('the export to a collector', () => {
  it('logs nothing while it succeeds', () => {
    const { lines, send } = open();
    expect(send(ALIVE)).toEqual([ALIVE]);
    expect(lines).toEqual([]);
  });

  it('logs the first failure and the recovery', () => {
    const { lines, send } = open();
    for (let count = 0; count < 100; count += 1) expect(send(DEAD)).toEqual([DEAD]);
    expect(lines).toEqual(['telemetry not exported {"signal":"traces","error":"ECONNREFUSED"}']);
    send(ALIVE);
    send(ALIVE);
    expect(lines.slice(1)).toEqual(['telemetry exported again {"signal":"traces"}']);
    send(DEAD);
    expect(lines).toHaveLength(3);
  });

  it('logs a failure of each signal', () => {
    const { health, lines, send } = open();
    send(DEAD);
    const logs = health.watch<readonly number[]>('logs', {
      export: (_, onResult) => onResult(DEAD),
      shutdown: () => Promise.resolve(),
    });
    logs.export([], () => {});
    expect(lines).toHaveLength(2);
  });
});
