import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Folder of the entry points for `npm start`, `npm run worker` and `npm run cli`. */
export const BUILD_FOLDER = fileURLToPath(new URL('../../dist/', import.meta.url));

export interface ServerProcess {
  readonly origin: string;
  readonly pid: number;
  output(): string;
  /** Sends the signal, waits for the exit and returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts the built service in a separate process, as `npm start` does. `cwd` is the folder of its `NODE_OPTIONS`. */
export async function startServer(environment: Readonly<Record<string, string>>, cwd?: string): Promise<ServerProcess> {
  const child = spawn(process.execPath, [`${BUILD_FOLDER}main.js`], {
    env: { PATH: process.env['PATH'], PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  let outputText = '';
  const exitCode = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const outputEnd = once(child.stdout, 'close');
  const origin = await new Promise<string>((resolve, reject) => {
    const onOutput = (chunk: Buffer): void => {
      outputText += chunk.toString();
      const [, originText] = /Base URL +(http:\/\/(?:localhost|127\.0\.0\.1):\d+)\//.exec(outputText) ?? [];
      if (originText) resolve(originText.replace('localhost', '127.0.0.1'));
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    void exitCode.then((code) => reject(new Error(`The server ended with ${code}: ${outputText}`)));
  });
  return {
    origin,
    pid: child.pid as number,
    output: () => outputText,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await outputEnd;
      return exitCode;
    },
  };
}
