import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { hasVarnish, listen, textOf, startVarnish, type Cache } from '../../testing/varnish.js';
import { createCdnPurger, HttpCdnPurger, NoCdnPurger } from './http-cdn-purger.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const answerWith =
  (code: number): Handler =>
  (_, response) =>
    response.writeHead(code, code >= 300 && code < 400 ? { location: '/elsewhere' } : {}).end();

async function startRecordingCache(handler: Handler) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.headers.host} ${request.url}`);
    handler(request, response);
  });
  const address = `http://127.0.0.1:${await listen(server)}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { address, requests, close };
}

async function runPurge(handler: Handler, urls: readonly string[], path = '', timeoutMs = 5_000) {
  const { address, requests, close } = await startRecordingCache(handler);
  const answer = await new HttpCdnPurger(address + path, timeoutMs).purge(urls);
  await close();
  return { answer, requests };
}

const URL_OF_FILE = 'https://cdn.shop.example/media/a/b.png';

describe('HttpCdnPurger.purge', () => {
  it('sends the path and the host of the public URL', async () => {
    const urls = [URL_OF_FILE, `${URL_OF_FILE}?v=2`, 'https://cdn.shop.example:8443/media/%C4%8Daj%20x.png'];
    const { answer, requests } = await runPurge(answerWith(200), urls);
    expect(answer).toBe(true);
    expect(requests.sort()).toEqual([
      'PURGE cdn.shop.example /media/a/b.png',
      'PURGE cdn.shop.example /media/a/b.png?v=2',
      'PURGE cdn.shop.example:8443 /media/%C4%8Daj%20x.png',
    ]);
  });

  it.each(['/purge', '/purge/', '/purge?of=none'])('appends the path to the path of the cache: %s', async (path) => {
    const { requests } = await runPurge(answerWith(200), [`${URL_OF_FILE}?v=2`], path);
    expect(requests).toEqual(['PURGE cdn.shop.example /purge/media/a/b.png?v=2']);
  });

  it('sends a request only once per URL', async () => {
    expect(await runPurge(answerWith(200), [URL_OF_FILE, URL_OF_FILE])).toMatchObject({ answer: true, requests: [{}] });
    expect(await runPurge(answerWith(500), [])).toEqual({ answer: true, requests: [] });
  });

  it.each([200, 204, 404])('returns true for the status %d', async (code) => {
    expect((await runPurge(answerWith(code), [URL_OF_FILE])).answer).toBe(true);
  });

  it.each([301, 302, 307, 400, 403, 405, 500, 503])('returns false for the status %d', async (code) => {
    const { answer, requests } = await runPurge(answerWith(code), [URL_OF_FILE]);
    expect(answer).toBe(false);
    expect(requests).toHaveLength(1);
  });

  it('returns false after one failed response, but sends a request for every other URL', async () => {
    const urls = Array.from({ length: 25 }, (_, at) => `${URL_OF_FILE}?v=${at}`);
    const failOne: Handler = (request, response) =>
      answerWith(request.url?.endsWith('=3') ? 500 : 200)(request, response);
    const { answer, requests } = await runPurge(failOne, urls);
    expect(answer).toBe(false);
    expect(requests).toHaveLength(25);
  });

  it('sends at most ten requests at the same time', async () => {
    let [openCount, maxCount] = [0, 0];
    const answerSlowly: Handler = (request, response) => {
      openCount += 1;
      maxCount = Math.max(maxCount, openCount);
      setTimeout(() => {
        openCount -= 1;
        answerWith(200)(request, response);
      }, 50);
    };
    const urls = Array.from({ length: 30 }, (_, at) => `${URL_OF_FILE}?v=${at}`);
    expect((await runPurge(answerSlowly, urls)).answer).toBe(true);
    expect(maxCount).toBe(10);
  });

  it.each<[string, Handler]>([
    ['does not answer', () => {}],
    ['disconnects', (request) => request.socket.destroy()],
    ['does not speak HTTP', (request) => request.socket.end('hello\r\n\r\n')],
  ])('returns false when the cache %s', async (_, handler) => {
    expect((await runPurge(handler, [URL_OF_FILE], '', 300)).answer).toBe(false);
  });

  it('does not wait for the body of a response to end', async () => {
    const neverEnd: Handler = (_, response) => void response.writeHead(200).write('and so on');
    const startedAtMs = performance.now();
    expect((await runPurge(neverEnd, [URL_OF_FILE])).answer).toBe(true);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  });

  it('returns false when the cache is unreachable', async () => {
    expect(await new HttpCdnPurger('http://127.0.0.1:9').purge([URL_OF_FILE])).toBe(false);
    expect(await new HttpCdnPurger('https://none.invalid').purge([URL_OF_FILE])).toBe(false);
  });
});

describe('createCdnPurger', () => {
  it('purges the configured cache', () => {
    expect(createCdnPurger('http://127.0.0.1:6081')).toBeInstanceOf(HttpCdnPurger);
    expect(createCdnPurger('http://127.0.0.1:6081').isConfigured).toBe(true);
  });

  it('purges nothing without a cache', async () => {
    expect(createCdnPurger(undefined)).toBeInstanceOf(NoCdnPurger);
    expect(createCdnPurger(undefined).isConfigured).toBe(false);
    expect(await createCdnPurger(undefined).purge([URL_OF_FILE])).toBe(false);
  });
});

// .ci/run requires Varnish; a developer's machine may lack it.
if (hasVarnish) {
  describe('purging Varnish', () => {
    let content = 'old';
    let origin: Awaited<ReturnType<typeof startRecordingCache>>;
    let varnish: Cache | undefined;

    beforeAll(async () => {
      origin = await startRecordingCache((_, response) => {
        response.writeHead(200, { 'cache-control': 'public, max-age=31536000, immutable' }).end(content);
      });
      varnish = await startVarnish(origin.address);
    }, 60_000);
    afterAll(async () => {
      await varnish?.close();
      await origin.close();
    });

    const fetchThrough = (path: string, host = 'cdn.shop.example'): Promise<string> =>
      textOf(varnish!.address, path, host);

    it('replaces only the content of purged URLs', async () => {
      const paths = ['/media/a.png', '/media/a.png?v=2', '/media/a@320.png', '/media/b.png'];
      for (const path of paths) expect(await fetchThrough(path)).toBe('old');
      expect(await fetchThrough('/media/a.png', 'other.example')).toBe('old');
      content = 'new';
      for (const path of paths) expect(await fetchThrough(path)).toBe('old');

      const urls = paths.slice(0, 3).map((path) => `https://cdn.shop.example${path}`);
      expect(await new HttpCdnPurger(varnish!.address).purge(urls)).toBe(true);
      for (const path of paths.slice(0, 3)) expect(await fetchThrough(path)).toBe('new');
      expect(await fetchThrough('/media/b.png')).toBe('old');
      expect(await fetchThrough('/media/a.png', 'other.example')).toBe('old');
    });

    it('returns true for a URL that Varnish does not know', async () => {
      expect(await new HttpCdnPurger(varnish!.address).purge(['https://cdn.shop.example/media/none.png'])).toBe(true);
    });

    it('returns false when Varnish forbids purging', async () => {
      expect(await new HttpCdnPurger(`${varnish!.address}/closed`).purge([URL_OF_FILE])).toBe(false);
    });
  });
}
