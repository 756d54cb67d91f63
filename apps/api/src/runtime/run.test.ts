import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

const RUN_URL = new URL('../../dist/runtime/run.js', import.meta.url).href;
const SLOW_TO_STOP = `import { runUntilSignal } from '${RUN_URL}';
const timer = setInterval(() => {}, 1000);
process.stdout.write('.');
await runUntilSignal(async () => () => new Promise((resolve) => setTimeout(resolve, 1500)));`;

describe('a process that cannot start', () => {
  it('reports the error and its cause in one line', async () => {
    const code = `import { runUntilSignal } from '${RUN_URL}';
      await runUntilSignal(() => Promise.reject(new Error('No place', { cause: new Error('EROFS: read-only') })));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output).toBe('Could not run: No place (EROFS: read-only)\n');
  });
});

describe('a process that stops slowly', () => {
  it.each([
    ['treats the two signals of one Ctrl-C under npm as one', 30, 0],
    ['exits at once on a second signal', 700, 1],
  ])('%s', async (_, milliseconds, code) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', SLOW_TO_STOP], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await pause(100);
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    await pause(milliseconds);
    child.kill('SIGINT');
    expect(await exit).toEqual([code, null]);
  });
});
