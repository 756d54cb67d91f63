import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runnerOf } from '@back-office/kernel/testing';
import type { CdnPurger } from '@back-office/media';
import { cdnPurgerContract } from '@back-office/media/testing';
import { hasVarnish, textOf, startVarnish, type Cache } from '../../testing/varnish.js';
import { createCdnPurger, HttpCdnPurger } from './http-cdn-purger.js';

const HOST = 'cdn.example';
const OK = 200;
const SILENCE_MS = 300;

function createCountingServer(): Server {
  let count = 0;
  return createServer((_, response) => {
    count += 1;
    response.setHeader('Cache-Control', 'max-age=600');
    response.end(String(count));
  });
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startSimpleCache(origin: string): Promise<Cache> {
  const copies = new Map<string, string>();
  const server = createServer((request, response) => {
    const { url = '/', method, headers } = request;
    const name = `${headers.host}${url}`;
    if (method === 'PURGE') response.writeHead(copies.delete(name) ? 200 : 404).end();
    else
      void (async () => {
        const copy = copies.get(name) ?? (await textOf(origin, url, headers.host ?? ''));
        copies.set(name, copy);
        response.end(copy);
      })();
  });
  const address = await listen(server);
  return { address, close: async () => void server.close() };
}

async function makePurgers(statuses: readonly number[], servers: Server[]): Promise<Record<string, CdnPurger>> {
  const purgers = statuses.map(async (status) => {
    const server = createServer((request, response) => {
      // A purger that wrongly follows the redirect would get a success.
      const isRedirected = request.url === '/elsewhere';
      response.writeHead(isRedirected ? OK : status, { location: '/elsewhere' }).end();
    });
    servers.push(server);
    return [String(status), createCdnPurger(await listen(server))] as const;
  });
  return Object.fromEntries(await Promise.all(purgers));
}

describe('HttpCdnPurger', () => {
  cdnPurgerContract(runnerOf(globalThis), async () => {
    const silentServer = createServer(() => {});
    const servers = [createCountingServer(), silentServer];
    const origin = await listen(servers[0] as Server);
    const cache = await (hasVarnish ? startVarnish(origin) : startSimpleCache(origin));
    const endlessServer = createServer((_, response) => void response.writeHead(OK).write('purged'));
    const clearingServers = [endlessServer];
    const purgersWithoutCopies = {
      ...(await makePurgers([200, 204, 299, 404], clearingServers)),
      endless: createCdnPurger(await listen(endlessServer)),
    };
    servers.push(...clearingServers);
    const connectionsOf = (server: Server) =>
      new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    const filledTexts = new Map<string, string>();
    const fetchText = (url: string) => {
      const { pathname, search } = new URL(url);
      return textOf(cache.address, pathname + search, HOST);
    };
    return {
      purger: createCdnPurger(cache.address),
      unreachable: new HttpCdnPurger('http://127.0.0.1:9'),
      failingPurgers: {
        ...(await makePurgers([300, 302, 400, 403, 405, 500, 599], servers)),
        silent: new HttpCdnPurger(await listen(silentServer), SILENCE_MS),
      },
      purgersWithoutCopies,
      openConnections: async () =>
        (await Promise.all(clearingServers.map(connectionsOf))).reduce((sum, count) => sum + count, 0),
      purgerWithoutCache: createCdnPurger(undefined),
      urls: [`https://${HOST}/media/a.jpg?v=1`, `https://${HOST}/media/a.jpg?v=2`],
      cacheUrl: async (url) => void filledTexts.set(url, await fetchText(url)),
      isCached: async (url) => (await fetchText(url)) === filledTexts.get(url),
      close: async () => {
        await cache.close();
        for (const server of servers) {
          server.closeAllConnections();
          server.close();
        }
      },
    };
  });
});
