import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';

/** Connections that send their calls in a loop and ignore `Retry-After`. */
export interface HostileClients {
  readonly origin: string;
  readonly connections: number;
  readonly calls: readonly HostileCall[];
}

export interface HostileCall {
  readonly method: string;
  /** Each call replaces `#` by a new number. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const clients = (await json(process.stdin)) as readonly HostileClients[];
let callCount = 0;
for (const { origin, connections, calls } of clients) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  for (let index = 0; index < connections; index += 1) void repeat(origin, calls, agent, index);
}

async function repeat(origin: string, calls: readonly HostileCall[], agent: Agent, startIndex: number): Promise<never> {
  for (let turn = startIndex; ; turn += 1) await send(origin, calls[turn % calls.length] as HostileCall, agent);
}

function send(origin: string, { method, path, headers, body }: HostileCall, agent: Agent): Promise<void> {
  callCount += 1;
  const numbered = (text: string): string => text.replace('#', String(callCount).padStart(8, '0'));
  const numberedHeaders = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, numbered(text)]));
  return new Promise((resolve) => {
    const call = request(origin + numbered(path), { method, headers: numberedHeaders, agent }, (response) => {
      response.resume();
      response.on('close', resolve);
    });
    call.on('error', () => resolve());
    call.end(body);
  });
}
