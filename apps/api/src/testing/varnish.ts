import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { findOnPath } from './programs.js';

export interface Cache {
  readonly address: string;
  /** Receives purges; absent if `address` receives them. */
  readonly purgeAddress?: string;
  close(): Promise<void>;
}

/** Starts the server on a free port and returns the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const varnishd = findOnPath('varnishd');
/** Tests also run without Varnish; .ci/run installs it. */
export const hasVarnish = varnishd !== undefined;

/** Starts Varnish as a cache of the origin. It accepts PURGE, except for paths below `/closed`. */
export async function startVarnish(origin: string): Promise<Cache> {
  const { hostname, port } = new URL(origin);
  const vcl = `vcl 4.1;
    backend default { .host = "${hostname}"; .port = "${port}"; }
    sub vcl_recv {
      if (req.method == "PURGE" && req.url ~ "^/closed") { return (synth(405)); }
      if (req.method == "PURGE") { return (purge); }
    }`;
  const { addresses, close } = await runVarnish(vcl, ['http']);
  return { address: addresses[0] as string, close };
}

/** Starts Varnish with the configuration of `deploy/`. */
export async function startDeployedVarnish(origin: string): Promise<Cache> {
  const { hostname, port } = new URL(origin);
  const vcl = await readFile('deploy/varnish.vcl', 'utf8');
  const ownVcl = vcl.replace('"service"', `"${hostname}"`).replace('"8080"', `"${port}"`);
  const { addresses, close } = await runVarnish(ownVcl, ['http', 'purge']);
  return { address: addresses[0] as string, purgeAddress: addresses[1] as string, close };
}

async function runVarnish(
  vcl: string,
  sockets: readonly string[],
): Promise<{ readonly addresses: readonly string[]; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'varnish-'));
  // If root starts Varnish, it runs as another user, who needs access to the folder.
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'cache.vcl'), vcl);
  const endpoints = await Promise.all(sockets.map(async () => `127.0.0.1:${await freePort()}`));
  const socketOptions = sockets.flatMap((name, index) => ['-a', `${name}=${endpoints[index]}`]);
  const options = ['-F', '-n', join(folder, 'work'), '-f', join(folder, 'cache.vcl'), '-s', 'malloc,32m'];
  const process = spawn(varnishd ?? '', [...options, ...socketOptions], { stdio: 'ignore' });
  const exit = once(process, 'exit');
  const addresses = endpoints.map((endpoint) => `http://${endpoint}`);
  const close = async (): Promise<void> => {
    process.kill();
    await exit;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitForAnswer(addresses[0] as string);
  } catch (error) {
    await close();
    throw error;
  }
  return { addresses, close };
}

async function waitForAnswer(address: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const answer = await textOf(address, '/ready', 'ready.example').catch(() => undefined);
    if (answer !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Varnish did not start');
}

/** Returns the body of a 200 answer; throws for any other status. */
export function textOf(address: string, path: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(address + path, { headers: { host }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    request.on('error', reject);
  });
}
