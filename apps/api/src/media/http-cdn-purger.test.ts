import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { hasVarnish, listening, textOf, varnishBefore, type Cache } from '../testing/varnish.js';
import { cdnPurgerOf, HttpCdnPurger, NoCdnPurger } from './http-cdn-purger.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const status =
  (code: number): Handler =>
  (_, response) =>
    response.writeHead(code, code >= 300 && code < 400 ? { location: '/elsewhere' } : {}).end();

/** A cache that answers so, and remembers what it was asked. */
async function cache(handler: Handler) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${request.url}`);
    handler(request, response);
  });
  const address = `http://127.0.0.1:${await listening(server)}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { address, asked, close };
}

async function purged(handler: Handler, urls: readonly string[], path = '', timeoutMs = 5_000) {
  const { address, asked, close } = await cache(handler);
  const answer = await new HttpCdnPurger(address + path, timeoutMs).purge(urls);
  await close();
  return { answer, asked };
}

const URL_OF_FILE = 'https://cdn.shop.example/media/a/b.png';

describe('a cache that is told to forget', () => {
  it('is asked for the path of the public address, by its host', async () => {
    const urls = [URL_OF_FILE, `${URL_OF_FILE}?v=2`, 'https://cdn.shop.example:8443/media/%C4%8Daj%20x.png'];
    const { answer, asked } = await purged(status(200), urls);
    expect(answer).toBe(true);
    expect(asked.sort()).toEqual([
      'PURGE cdn.shop.example /media/a/b.png',
      'PURGE cdn.shop.example /media/a/b.png?v=2',
      'PURGE cdn.shop.example:8443 /media/%C4%8Daj%20x.png',
    ]);
  });

  it.each(['/purge', '/purge/', '/purge?of=nobody'])('is asked below its own path: %s', async (path) => {
    const { asked } = await purged(status(200), [`${URL_OF_FILE}?v=2`], path);
    expect(asked).toEqual(['PURGE cdn.shop.example /purge/media/a/b.png?v=2']);
  });

  it('is asked once for what it is told twice, and not at all for nothing', async () => {
    expect(await purged(status(200), [URL_OF_FILE, URL_OF_FILE])).toMatchObject({ answer: true, asked: [{}] });
    expect(await purged(status(500), [])).toEqual({ answer: true, asked: [] });
  });

  it.each([200, 204, 404])('has forgotten when it says %d', async (code) => {
    expect((await purged(status(code), [URL_OF_FILE])).answer).toBe(true);
  });

  it.each([301, 302, 307, 400, 403, 405, 500, 503])('may still remember when it says %d', async (code) => {
    const { answer, asked } = await purged(status(code), [URL_OF_FILE]);
    expect(answer).toBe(false);
    expect(asked).toHaveLength(1);
  });

  it('may still remember when one answer of many is bad, and is asked for all the others', async () => {
    const urls = Array.from({ length: 25 }, (_, at) => `${URL_OF_FILE}?v=${at}`);
    const isBad: Handler = (request, response) => status(request.url?.endsWith('=3') ? 500 : 200)(request, response);
    const { answer, asked } = await purged(isBad, urls);
    expect(answer).toBe(false);
    expect(asked).toHaveLength(25);
  });

  it('is asked for ten at once at most', async () => {
    let [now, most] = [0, 0];
    const slow: Handler = (request, response) => {
      now += 1;
      most = Math.max(most, now);
      setTimeout(() => {
        now -= 1;
        status(200)(request, response);
      }, 50);
    };
    const urls = Array.from({ length: 30 }, (_, at) => `${URL_OF_FILE}?v=${at}`);
    expect((await purged(slow, urls)).answer).toBe(true);
    expect(most).toBe(10);
  });

  it.each<[string, Handler]>([
    ['does not answer', () => {}],
    ['hangs up', (request) => request.socket.destroy()],
    ['answers in no HTTP', (request) => request.socket.end('hello\r\n\r\n')],
  ])('may still remember when it %s', async (_, handler) => {
    expect((await purged(handler, [URL_OF_FILE], '', 300)).answer).toBe(false);
  });

  it('is not waited for after its answer has begun', async () => {
    const endless: Handler = (_, response) => void response.writeHead(200).write('and so on');
    const before = performance.now();
    expect((await purged(endless, [URL_OF_FILE])).answer).toBe(true);
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it('may still remember when it is not there', async () => {
    expect(await new HttpCdnPurger('http://127.0.0.1:9').purge([URL_OF_FILE])).toBe(false);
    expect(await new HttpCdnPurger('https://nobody.invalid').purge([URL_OF_FILE])).toBe(false);
  });
});

describe('an installation', () => {
  it('has the cache of its configuration', () => {
    expect(cdnPurgerOf('http://127.0.0.1:6081')).toBeInstanceOf(HttpCdnPurger);
    expect(cdnPurgerOf('http://127.0.0.1:6081').isConfigured).toBe(true);
  });

  it('without a cache cannot clear one', async () => {
    expect(cdnPurgerOf(undefined)).toBeInstanceOf(NoCdnPurger);
    expect(cdnPurgerOf(undefined).isConfigured).toBe(false);
    expect(await cdnPurgerOf(undefined).purge([URL_OF_FILE])).toBe(false);
  });
});

// Nothing but Node need be installed to run the tests; .ci/run sees to it that this one is run there.
if (hasVarnish) {
  describe('a Varnish that is told to forget', () => {
    let content = 'old';
    let origin: Awaited<ReturnType<typeof cache>>;
    let varnish: Cache | undefined;

    beforeAll(async () => {
      origin = await cache((_, response) => {
        response.writeHead(200, { 'cache-control': 'public, max-age=31536000, immutable' }).end(content);
      });
      varnish = await varnishBefore(origin.address);
    }, 60_000);
    afterAll(async () => {
      await varnish?.close();
      await origin.close();
    });

    const seen = (path: string, host = 'cdn.shop.example'): Promise<string> => textOf(varnish!.address, path, host);

    it('hands out the new content of that address, and of no other', async () => {
      const paths = ['/media/a.png', '/media/a.png?v=2', '/media/a@320.png', '/media/b.png'];
      for (const path of paths) expect(await seen(path)).toBe('old');
      expect(await seen('/media/a.png', 'other.example')).toBe('old');
      content = 'new';
      for (const path of paths) expect(await seen(path)).toBe('old');

      const told = paths.slice(0, 3).map((path) => `https://cdn.shop.example${path}`);
      expect(await new HttpCdnPurger(varnish!.address).purge(told)).toBe(true);
      for (const path of paths.slice(0, 3)) expect(await seen(path)).toBe('new');
      expect(await seen('/media/b.png')).toBe('old');
      expect(await seen('/media/a.png', 'other.example')).toBe('old');
    });

    it('has nothing against forgetting what it does not know', async () => {
      expect(await new HttpCdnPurger(varnish!.address).purge(['https://cdn.shop.example/media/none.png'])).toBe(true);
    });

    it('says so when it does not take it from everybody', async () => {
      expect(await new HttpCdnPurger(`${varnish!.address}/closed`).purge([URL_OF_FILE])).toBe(false);
    });
  });
}
