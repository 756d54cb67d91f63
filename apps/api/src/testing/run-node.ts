import { execFile } from 'node:child_process';
import { BUILD_FOLDER } from './server-process.js';

export interface ExitedProcess {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a built entry point to its end. */
export function runNode(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ExitedProcess> {
  const env = { PATH: process.env['PATH'], ...environment };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [BUILD_FOLDER + script, ...args],
      { env, timeout: 30_000 },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}
