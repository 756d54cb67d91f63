import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './free-port.js';
import { findOnPath } from './programs.js';
import { listen } from './varnish.js';

export interface RedisServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts Redis without persistence. If Redis is not installed, starts a substitute with the needed commands. */
export function startRedis(): Promise<RedisServer> {
  const command = findOnPath('redis-server');
  return command === undefined ? startSimpleRedis() : startRealRedis(command);
}

async function startRealRedis(command: string): Promise<RedisServer> {
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn(command, options, { stdio: 'ignore' });
  const exit = once(server, 'exit');
  const close = async (): Promise<void> => {
    server.kill();
    await exit;
  };
  await waitForPort(port).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { url: `redis://127.0.0.1:${port}`, close };
}

async function waitForPort(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('Redis did not start');
}

async function startSimpleRedis(): Promise<RedisServer> {
  const counts = new Map<string, { calls: number; readonly endMs: number }>();
  const sockets = new Set<Socket>();
  const answer = (words: readonly string[]): string => {
    if (words[0]?.toLowerCase() === 'info') return '$9\r\nloading:0\r\n';
    if (!/^eval/i.test(words[0] ?? '')) return '+OK\r\n';
    const [, , , key = '', calls, seconds] = words;
    const known = counts.get(key);
    const count = known && known.endMs > Date.now() ? known : { calls: 0, endMs: Date.now() + Number(seconds) * 1_000 };
    count.calls += Number(calls);
    counts.set(key, count);
    return `*2\r\n:${count.calls}\r\n:${count.endMs - Date.now()}\r\n`;
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (let command = firstCommand(text); command !== undefined; command = firstCommand(text)) {
        text = text.slice(command.length);
        socket.write(answer(command.words));
      }
    });
  });
  const port = await listen(server);
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { url: `redis://127.0.0.1:${port}`, close };
}

/** Parses a command, which is an array of strings; returns `undefined` while the command is incomplete. */
function firstCommand(text: string): { readonly words: string[]; readonly length: number } | undefined {
  const lines = text.split('\r\n');
  const count = Number(lines[0]?.slice(1));
  const used = lines.slice(0, 1 + count * 2);
  if (text === '' || lines.length < used.length + 1 || used.length < 1 + count * 2) return undefined;
  return { words: used.filter((_, index) => index > 0 && index % 2 === 0), length: used.join('\r\n').length + 2 };
}
