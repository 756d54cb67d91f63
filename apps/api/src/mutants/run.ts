import { fork } from 'node:child_process';
import { join } from 'node:path';
import { runnerBeside } from './workshop.js';
import type { RunReport, RunRequest } from './messages.js';

export interface Run {
  readonly reports: readonly RunReport[];
  /** Why it ended before its end. */
  readonly broken?: 'timeout' | 'exit';
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

export type RunSuites = (request: RunRequest, timeoutMs: number) => Promise<Run>;

/** Runs suites in a process of their own, in one of the copies. */
export function runSuites(copy: string, request: RunRequest, { env, timeoutMs, signal }: RunOptions): Promise<Run> {
  const reports: RunReport[] = [];
  const child = fork(runnerBeside(copy), [], {
    cwd: copy,
    env: { TMPDIR: join(copy, 'tmp'), TZ: 'Asia/Kolkata', NODE_NO_WARNINGS: '1', ...env },
    execArgv: [],
    stdio: 'ignore',
    serialization: 'advanced',
    // A group of its own, with the processes that it starts.
    detached: true,
  });
  return new Promise((resolve) => {
    let isLate = false;
    const end = (): void => {
      try {
        process.kill(-(child.pid as number), 'SIGKILL');
      } catch {
        // All of them have ended.
      }
    };
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, timeoutMs);
    child.on('message', (report) => reports.push(report as RunReport));
    signal.addEventListener('abort', end);
    const finish = (): void => {
      signal.removeEventListener('abort', end);
      clearTimeout(timer);
      end();
      const isWhole = reports.some((report) => 'done' in report || 'failed' in report);
      resolve({ reports, ...(!isWhole && { broken: isLate ? 'timeout' : 'exit' }) });
    };
    child.once('exit', finish);
    // It could not be started, or is gone before it was asked.
    child.on('error', finish);
    child.send(request, () => {});
  });
}
