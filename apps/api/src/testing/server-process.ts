import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The entry points that `npm start`, `npm run worker` and `npm run cli` run. */
export const BUNDLE = fileURLToPath(new URL('../../dist/bundle/', import.meta.url));

export interface ServerProcess {
  readonly origin: string;
  readonly pid: number;
  /** Everything the process printed so far. */
  output(): string;
  /** Sends the signal and returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts the built service in its own process, like `npm start`. */
export async function startServer(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = spawn(process.execPath, [`${BUNDLE}main.js`], {
    env: { PATH: process.env['PATH'], PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const origin = await new Promise<string>((resolve, reject) => {
    const onOutput = (chunk: Buffer): void => {
      printed += chunk.toString();
      const [, found] = /Base URL +(http:\/\/localhost:\d+)\//.exec(printed) ?? [];
      if (found) resolve(found.replace('localhost', '127.0.0.1'));
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    void exited.then((code) => reject(new Error(`The server ended with ${code}: ${printed}`)));
  });
  return {
    origin,
    pid: child.pid as number,
    output: () => printed,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}
