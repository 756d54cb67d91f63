import { RawHttp } from '../testing/raw-http.js';
import { startServer } from '../testing/server-process.js';
import { testApi, type TestApi } from '../testing/test-api.js';
import { API_VERSION, SERVICE_VERSION } from '../version.js';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

const readPage = async (path: string, origin = api.origin) => {
  const response = await fetch(origin + path, { headers: BROWSER });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('the start page', () => {
  it('links the reference, the guides and the health check', async () => {
    const { status, headers, text } = await readPage('/');
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
      200,
      'text/html; charset=utf-8',
      expect.stringContaining('Accept'),
    ]);
    const links = [...text.matchAll(/ href="(\/[^"]*)"/g)].map(([, href = '']) => href);
    expect(links).toEqual(['/docs', '/docs/guides/quickstart', '/docs/guides/', '/openapi.json', '/health/ready']);
    const statuses = await Promise.all(links.map(async (link) => (await readPage(link)).status));
    expect(statuses).toEqual(links.map(() => 200));
  });

  it('is HTML for a client that refuses text', async () => {
    const response = await fetch(api.origin, { headers: { Accept: 'text/plain;q=0, */*' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  it.each(['application/json', 'application/json, */*', 'application/json, text/plain, */*'])(
    'is not served to a client of the API, which prefers JSON: %s',
    async (accept) => {
      const response = await fetch(api.origin, { headers: { Accept: accept } });
      expect([response.status, await response.text()]).toEqual([404, '[]']);
    },
  );

  it.each(['POST', 'PUT', 'DELETE'])('is not served for %s', async (method) => {
    const response = await fetch(api.origin, { method, headers: BROWSER });
    expect([response.status, await response.text()]).toEqual([404, '[]']);
  });

  it('is hidden by DOCS=off', async () => {
    const server = await startServer({ DATABASE: 'memory', DEMO: '0', DOCS: 'off' });
    expect(await readPage('/', server.origin)).toMatchObject({ status: 404, text: '[]' });
    expect(await server.stop()).toBe(0);
  });

  it('is only on the admin port if there is an admin port', async () => {
    const server = await startServer({ DATABASE: 'memory', DEMO: '0', ADMIN_PORT: '0' });
    const [, adminOrigin = ''] = /API reference +(\S+)\/docs/.exec(server.output()) ?? [];
    expect(await readPage('/', server.origin)).toMatchObject({ status: 404, text: '[]' });
    expect(await readPage('/', adminOrigin.replace('localhost', '127.0.0.1'))).toMatchObject({ status: 200 });
    expect(await server.stop()).toBe(0);
  });
});

describe('the start page as text', () => {
  const readText = async (headers: Readonly<Record<string, string>>, method = 'GET', origin = api.origin) => {
    const http = new RawHttp(origin);
    const reply = await http.call({ method, path: '/', headers });
    http.close();
    return reply;
  };

  it.each([[{ Accept: '*/*' }], [{}], [{ Accept: 'text/plain' }], [{ Accept: 'text/plain, application/json;q=0.9' }]])(
    'lists the addresses of the service for %j',
    async (headers) => {
      const { status, headers: answered, text } = await readText({ ...headers, Host: 'shop.internal:3000' });
      expect([status, answered['content-type'], answered['cache-control']]).toEqual([
        200,
        'text/plain; charset=utf-8',
        'no-store',
      ]);
      expect(answered['vary']).toContain('Accept');
      expect(text).toBe(`Retail back-office ${SERVICE_VERSION} (API ${API_VERSION})

API        http://shop.internal:3000/api/v2
Reference  http://shop.internal:3000/docs
OpenAPI    http://shop.internal:3000/openapi.json
Guides     http://shop.internal:3000/docs/guides/
Health     http://shop.internal:3000/health/ready
`);
    },
  );

  it('has no body for HEAD', async () => {
    const { status, headers, text } = await readText({ Accept: '*/*' }, 'HEAD');
    expect([status, headers['content-type'], text]).toEqual([200, 'text/plain; charset=utf-8', '']);
  });

  it('lists paths for a host that is no host name', async () => {
    expect((await readText({ Host: 'a<b>' })).text).toContain('API        /api/v2\n');
  });

  it('names the public address of the API on the admin port, and HTTPS behind a proxy', async () => {
    const PUBLIC_URL = 'https://shop.example';
    const server = await startServer({ DATABASE: 'memory', DEMO: '0', ADMIN_PORT: '0', PUBLIC_URL });
    const [, adminOrigin = ''] = /API reference +(\S+)\/docs/.exec(server.output()) ?? [];
    const admin = adminOrigin.replace('localhost', '127.0.0.1');
    expect((await readText({}, 'GET', admin)).text).toContain(
      `API        ${PUBLIC_URL}/api/v2\nReference  ${admin}/docs\n`,
    );
    expect((await readText({ Host: 'shop.example' }, 'GET', admin)).text).toContain(`Reference  ${PUBLIC_URL}/docs\n`);
    expect((await readText({}, 'GET', server.origin)).text).toBe('[]');
    expect(await server.stop()).toBe(0);
  });
});

describe('a page of the documentation', () => {
  it.each(['/', '/docs', '/docs/guides/', '/docs/guides/media'])(
    'loads only files of this service: %s',
    async (path) => {
      const { headers, text } = await readPage(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toMatch(/https?:|unsafe-eval|\*/);
      const sources = [...text.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]*)"/g)].map(([, url]) => url);
      expect(sources.filter((url) => !/^(?:\/(?!\/)|data:)/.test(url ?? ''))).toEqual([]);
    },
  );
});

describe('the page of the API reference', () => {
  it('gets its scripts from this service', async () => {
    expect((await readPage('/docs')).text).toContain('src="/docs/start.js"');
    const { text } = await readPage('/docs/start.js');
    expect(text).toContain('"url":"/openapi.json"');
    expect(text).toContain('"validatorUrl":null');
    const library = await readPage('/docs/reference/swagger-ui-bundle.js');
    expect(library.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const style = await readPage('/docs/reference/swagger-ui.css');
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
  });

  it('lets browsers keep its files for an hour, and then ask whether they have changed', async () => {
    const http = new RawHttp(api.origin);
    const path = '/docs/reference/swagger-ui.css';
    const { headers } = await http.call({ path });
    expect(headers['cache-control']).toBe('public, max-age=3600');
    const unchanged = await http.call({ path, headers: { 'If-None-Match': headers.etag } });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    http.close();
  });

  it.each(['swagger-ui-bundle.js.map', 'package.json', '../package.json', '%2e%2e/package.json', ''])(
    'serves no other file of its package: %s',
    async (file) => {
      expect(await readPage(`/docs/reference/${file}`)).toMatchObject({ status: 404, text: '[]' });
    },
  );
});
