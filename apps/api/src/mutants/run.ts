import { fork } from 'node:child_process';
import { join } from 'node:path';
import { runnerBeside } from './compiled-copies.js';
import type { RunReport, RunRequest } from './messages.js';

export interface SuiteRun {
  readonly reports: readonly RunReport[];
  /** Why the process ended before it had run all tests. */
  readonly endReason?: 'timeout' | 'exit';
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type RunSuites = (request: RunRequest, timeoutMs: number) => Promise<SuiteRun>;

/** Runs suites in a separate process in one of the copies of the repository. */
export function runSuites(
  copy: string,
  request: RunRequest,
  { env, timeoutMs, signal }: RunOptions,
): Promise<SuiteRun> {
  const reports: RunReport[] = [];
  const child = fork(runnerBeside(copy), [], {
    cwd: copy,
    env: { TMPDIR: join(copy, 'tmp'), TZ: 'Asia/Kolkata', NODE_NO_WARNINGS: '1', ...env },
    execArgv: [],
    stdio: 'ignore',
    serialization: 'advanced',
    // The process leads a process group, so that its child processes can be killed with it.
    detached: true,
  });
  return new Promise((resolve) => {
    let hasTimedOut = false;
    const killGroup = (): void => {
      try {
        process.kill(-(child.pid as number), 'SIGKILL');
      } catch {
        // The whole group has already ended.
      }
    };
    const timer = setTimeout(() => {
      hasTimedOut = true;
      killGroup();
    }, timeoutMs);
    child.on('message', (report) => reports.push(report as RunReport));
    signal.addEventListener('abort', killGroup);
    const finish = (): void => {
      signal.removeEventListener('abort', killGroup);
      clearTimeout(timer);
      killGroup();
      const isComplete = reports.some((report) => 'done' in report || 'failedTest' in report);
      resolve({ reports, ...(!isComplete && { endReason: hasTimedOut ? 'timeout' : 'exit' }) });
    };
    child.once('exit', finish);
    // Emitted when the process cannot start, or ends before it has received the request.
    child.on('error', finish);
    child.send(request, () => {});
  });
}
