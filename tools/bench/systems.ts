import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface System {
  readonly name: string;
  readonly origin: string;
  readonly pid: number;
  stop(): void;
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export function startFloor(url: string, poolSize: number): Promise<System> {
  return startChild('bare server', 'floor.ts', { url, poolSize });
}

export function startNaiveService(url: string, poolSize: number): Promise<System> {
  return startChild('naive service', 'naive-service.ts', { url, poolSize });
}

async function startChild(name: string, file: string, task: object): Promise<System> {
  const child = fork(pathOf(file));
  child.send(task);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { name, origin: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => void child.kill() };
}

/** Starts the service in a separate process. */
export async function startServiceProcess(
  databaseUrl: string,
  extraEnvironment: Readonly<Record<string, string>>,
): Promise<System> {
  const env = { PORT: '0', DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent', ...extraEnvironment };
  const child = spawn(process.execPath, [pathOf('../../apps/api/dist/main.js')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { name: 'service', origin: await originOf(child), pid: child.pid ?? 0, stop: () => void child.kill() };
}

async function originOf(child: ChildProcess): Promise<string> {
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    const [, port] = /Base URL +http:\/\/localhost:(\d+)\//.exec(output) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`The service did not start: ${output}`);
}
