import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { MediaShop } from '../../testing/media-shop.js';
import { testApi, type TestApi } from '../../testing/test-api.js';
import { hasVarnish, listen, textOf, startDeployedVarnish, startVarnish, type Cache } from '../../testing/varnish.js';

const HOST = 'cdn.shop.example';

async function startServer(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>,
): Promise<Cache> {
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  const address = `http://127.0.0.1:${await listen(server)}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { address, close };
}

function startSimpleCache(origin: string): Promise<Cache> {
  const responses = new Map<string, string>();
  return startServer(async ({ method, url = '', headers: { host = '' } }, response) => {
    if (method === 'PURGE') return response.writeHead(responses.delete(host + url) ? 200 : 404).end();
    const text = responses.get(host + url) ?? (await textOf(origin, url, host));
    responses.set(host + url, text);
    return response.end(text);
  });
}

const VARNISHES: [string, (origin: string) => Promise<Cache>][] = [
  ['Varnish', startVarnish],
  ['the Varnish of deploy/', startDeployedVarnish],
];

describe.each<[string, (origin: string) => Promise<Cache>]>([
  ['a simple cache', startSimpleCache],
  ...(hasVarnish ? VARNISHES : []),
])('cache strategy purge behind %s', (_, startCache) => {
  let serviceUrl = '';
  let gateway: Cache;
  let cache: Cache;
  let api: TestApi;
  let shop: MediaShop;

  beforeAll(async () => {
    // The cache and the service need each other's address at start, so a gateway with a known address connects them.
    gateway = await startServer(async ({ url = '' }, response) => {
      if (serviceUrl === '') return response.end();
      const original = await fetch(serviceUrl + url);
      const headers = { 'cache-control': original.headers.get('cache-control') ?? '' };
      return response.writeHead(original.status, headers).end(Buffer.from(await original.arrayBuffer()));
    });
    cache = await startCache(gateway.address);
    api = await testApi({ PUBLIC_URL: `http://${HOST}`, CDN_PURGE_URL: cache.purgeAddress ?? cache.address });
    serviceUrl = api.origin;
  }, 60_000);
  afterAll(async () => {
    await cache.close();
    await gateway.close();
    await api.close();
  });
  beforeEach(async () => {
    shop = new MediaShop(api, await api.app());
  });

  const makeJpeg = (width: number, height: number) => sharpSampleImages.still('image/jpeg', width, height);
  const pathOf = (url: string) => url.slice(url.indexOf('/media/'));
  const fetchCached = (path: string) => textOf(cache.address, path, HOST);
  const fetchFresh = (path: string) => textOf(api.origin, path, HOST);

  async function cacheImage() {
    const { id } = await shop.jpeg('a.jpg', {}, 1_400, 900);
    await api.runJobs();
    const { url, renditions } = await shop.file(id);
    const paths = [url, ...renditions.map((rendition: { url: string }) => rendition.url)].map(pathOf);
    const textsBefore = await Promise.all(paths.map(fetchCached));
    return { id, paths, before: textsBefore };
  }

  it('purges renditions that the cache fetched before the new renditions existed', async () => {
    const { id, paths, before: textsBefore } = await cacheImage();
    const { body } = await shop.replace(id, await makeJpeg(1_300, 1_000), 'purge');
    expect(body.cache).toEqual({ strategy: 'purge', url: `http://${HOST}${paths[0]}`, purged: true });
    const textsMeanwhile = await Promise.all(paths.map(fetchCached));
    expect([textsMeanwhile[0] === textsBefore[0], textsMeanwhile.slice(1)]).toEqual([false, textsBefore.slice(1)]);
    await api.runJobs();
    const textsAfter = await Promise.all(paths.map(fetchCached));
    expect(textsAfter).toEqual(await Promise.all(paths.map(fetchFresh)));
    expect(textsAfter.filter((text) => [...textsBefore, ...textsMeanwhile].includes(text))).toEqual([]);
    expect(api.jobFailures).toEqual([]);
  });

  it('purges old renditions after a revert', async () => {
    const { id, paths } = await cacheImage();
    await shop.replace(id, await makeJpeg(1_300, 1_000));
    await api.runJobs();
    const { body } = await shop.revert(id, { cache_strategy: 'purge' });
    expect(body.cache.purged).toBe(true);
    const textsMeanwhile = await Promise.all(paths.map(fetchCached));
    await api.runJobs();
    const textsAfter = await Promise.all(paths.map(fetchCached));
    expect(textsAfter).toEqual(await Promise.all(paths.map(fetchFresh)));
    expect(textsAfter.slice(1).filter((text) => textsMeanwhile.includes(text))).toEqual([]);
  });

  it('purges even when a later replacement uses another strategy', async () => {
    const { id, paths } = await cacheImage();
    await shop.replace(id, await makeJpeg(1_300, 1_000), 'purge');
    await Promise.all(paths.map(fetchCached));
    await shop.replace(id, await makeJpeg(1_350, 800), 'ttl');
    await api.runJobs();
    expect(await Promise.all(paths.map(fetchCached))).toEqual(await Promise.all(paths.map(fetchFresh)));
  });

  it('purges old renditions when the replacement cannot be decoded', async () => {
    const { id, paths } = await cacheImage();
    const image = await makeJpeg(400, 300);
    await shop.replace(id, image.subarray(0, image.length / 3), 'purge');
    await Promise.all(paths.map(fetchCached));
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await shop.reschedule(id, 'content', '-1 second');
      await api.runJobs();
    }
    expect((await shop.file(id)).processing).toBe('failed');
    const [mainPath = ''] = paths;
    const content = await fetchFresh(mainPath);
    const texts = await Promise.all(paths.map(fetchCached));
    expect(texts.every((text) => text === content)).toBe(true);
    api.jobFailures.length = 0;
  });
});

describe('an unavailable cache', () => {
  it('causes only the purge to fail, and the purge is retried', async () => {
    const requestedUrls: string[] = [];
    let isUnavailable = false;
    const cache = await startServer(async ({ url = '' }, response) => {
      if (!isUnavailable) requestedUrls.push(url);
      return response.writeHead(isUnavailable ? 503 : 200).end();
    });
    const api = await testApi({ CDN_PURGE_URL: cache.purgeAddress ?? cache.address });
    const shop = new MediaShop(api, await api.app());
    const { id, url } = await shop.jpeg('a.jpg', {}, 400, 300);
    await api.runJobs();
    expect(requestedUrls).toEqual([]);
    const { body } = await shop.replace(id, await sharpSampleImages.still('image/jpeg', 500, 300), 'purge');
    expect([body.cache.purged, requestedUrls.splice(0).length > 0]).toEqual([true, true]);
    isUnavailable = true;
    await api.runJobs();
    expect((await shop.file(id)).processing).toBe('done');
    expect(api.jobFailures).toEqual([new Error('A replaced file could not be purged from the cache')]);
    isUnavailable = false;
    await api.database.rows('update graphile_worker._private_jobs set run_at = now()');
    await api.runJobs();
    const path = new URL(url).pathname;
    const rendition = path.replace('.jpg', '@320.jpg');
    expect(requestedUrls).toEqual(expect.arrayContaining([path, `${path}?v=2`, rendition, `${rendition}?v=2`]));
    await api.close();
    await cache.close();
  }, 30_000);

  it('receives no purge for other cache strategies', async () => {
    const requestedUrls: string[] = [];
    const cache = await startServer(async ({ url = '' }, response) => {
      requestedUrls.push(url);
      return response.end();
    });
    const api = await testApi({ CDN_PURGE_URL: cache.purgeAddress ?? cache.address });
    const shop = new MediaShop(api, await api.app());
    const { id } = await shop.jpeg('a.jpg', {}, 400, 300);
    for (const strategy of ['version', 'ttl']) {
      await shop.replace(id, await sharpSampleImages.still('image/jpeg', 500, 300), strategy);
      await api.runJobs();
    }
    expect(requestedUrls).toEqual([]);
    await api.close();
    await cache.close();
  }, 30_000);
});

if (hasVarnish) {
  it('the Varnish of deploy/ caches only files, and refuses PURGE from clients', async () => {
    let calls = 0;
    const origin = await startServer(async (_, response) => {
      calls += 1;
      return response.writeHead(200, { 'cache-control': 'public, max-age=600' }).end(String(calls));
    });
    const cache = await startDeployedVarnish(origin.address);
    const [file, call] = [() => textOf(cache.address, '/media/a', HOST), () => textOf(cache.address, '/api/a', HOST)];
    const firstText = await file();
    expect(await file()).toBe(firstText);
    expect(await call()).not.toBe(await call());
    expect((await fetch(`${cache.address}/media/a`, { method: 'PURGE', headers: { host: HOST } })).status).toBe(405);
    expect(await file()).toBe(firstText);
    await cache.close();
    await origin.close();
  }, 30_000);

  it('the Varnish of deploy/ caches one URL of each version of a file', async () => {
    let calls = 0;
    const origin = await startServer(async (_, response) => {
      calls += 1;
      return response.writeHead(200, { 'cache-control': 'public, max-age=600' }).end(String(calls));
    });
    const cache = await startDeployedVarnish(origin.address);
    const read = (path: string, host = HOST) => textOf(cache.address, path, host);
    const purge = (path: string) => fetch(`${cache.purgeAddress}${path}`, { method: 'PURGE' });
    const versions = [await read('/media/a'), await read('/media/a?v=3')];
    expect(versions[0]).not.toBe(versions[1]);
    expect([await read('/media/a?x=1'), await read('/media/a?v=1')]).toEqual([versions[0], versions[0]]);
    expect([await read('/media/a?x=1&v=3&y', 'other.example'), await read('/media/a?v=3')]).toEqual([
      versions[1],
      versions[1],
    ]);
    expect(await read('/media/%61')).not.toBe(await read('/media/%61'));
    await purge('/media/a?v=3');
    expect(await read('/media/a?x=1&v=3')).not.toBe(versions[1]);
    await cache.close();
    await origin.close();
  }, 30_000);
}
