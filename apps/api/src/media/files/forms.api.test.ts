import { readdir, rename } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BASE_PATH } from '../../http/base-path.js';
import { testApi, type TestApi } from '../../testing/test-api.js';
import { MediaShop } from '../../testing/media-shop.js';
import { exchangeBytes, RawHttp } from '../../testing/raw-http.js';

const LIMIT = 100_000;
let api: TestApi;
let raw: RawHttp;
let shop: MediaShop;

beforeAll(async () => {
  api = await testApi({ UPLOAD_LIMIT: String(LIMIT) });
  raw = new RawHttp(api.origin);
  shop = new MediaShop(api, await api.app());
});
afterAll(async () => {
  raw.close();
  await api.close();
});

const PATH = `${BASE_PATH}/cdn/files`;
const part = (head: string, body: string | Buffer = '') =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ]);
const field = (name: string, value: string | Buffer) => part(`name="${name}"`, value);
const file = (name: string, content: string | Buffer = 'words', fieldName = 'file') =>
  part(`name="${fieldName}"; filename="${name}"`, content);
const END = Buffer.from('--b--\r\n');
const form = (...parts: readonly Buffer[]) => Buffer.concat([...parts, END]);
const send = async (body: Buffer, headers: Record<string, string> = {}) => {
  const defaultHeaders = {
    'Content-Type': 'multipart/form-data; boundary=b',
    Authorization: `Bearer ${shop.client.token}`,
  };
  const { status, text } = await raw.call({
    method: 'POST',
    path: PATH,
    headers: { ...defaultHeaders, ...headers },
    body,
  });
  return { status, body: text === '' ? undefined : JSON.parse(text) };
};
const listSpooledFiles = async () => readdir(join(api.dataDir, 'uploads'));
const isSpoolEmpty = async () => {
  for (let round = 0; round < 100 && (await listSpooledFiles()).length > 0; round += 1) await pause(20);
  return (await listSpooledFiles()).length === 0;
};
const BAD_REQUEST = { status: 400, body: { errors: { detail: 'Bad Request' } } };
const FILE_REQUIRED = { status: 400, body: { errors: { CdnFiles: ['API.CdnFiles.FileRequired'] } } };
const TOO_LARGE = { status: 413, body: { errors: { detail: 'Request Entity Too Large' } } };

afterEach(async () => {
  expect(await isSpoolEmpty()).toBe(true);
});

describe('an invalid form', () => {
  it.each([
    ['without a boundary', form(file('a.txt')), { 'Content-Type': 'multipart/form-data' }],
    ['with another boundary', form(file('a.txt')), { 'Content-Type': 'multipart/form-data; boundary=c' }],
    ['of JSON', Buffer.from('{}'), { 'Content-Type': 'application/json' }],
    ['without a type', form(file('a.txt')), { 'Content-Type': '' }],
    ['of another multipart type', form(file('a.txt')), { 'Content-Type': 'multipart/mixed; boundary=b' }],
    ['cut within its file', file('a.txt', 'x'.repeat(50_000)).subarray(0, 40_000), {}],
    ['cut within the headers of a part', Buffer.from('--b\r\nContent-Disposition: form-data; name="fi'), {}],
    ['without its end', file('a.txt'), {}],
    ['of garbage', Buffer.from('x'.repeat(10_000)), {}],
    ['with two files', form(file('a.txt'), file('b.txt')), {}],
    ['with a second file in another field', form(file('a.txt'), file('b.txt', 'x', 'other')), {}],
    ['with 1,000 parts', form(file('a.txt'), ...Array.from({ length: 1_000 }, () => field('alt', 'x'))), {}],
    ['with 41 fields', form(...Array.from({ length: 41 }, (_, index) => field(`f${index}`, 'x')), file('a.txt')), {}],
    ['with a huge field', form(field('alt', 'x'.repeat(70_000)), file('a.txt')), {}],
    ['with a huge field name', form(field('x'.repeat(200), 'x'), file('a.txt')), {}],
    ['with huge part headers', form(part(`name="a"; x="${'x'.repeat(100_000)}"`, 'x'), file('a.txt')), {}],
    ['with an unnamed field', form(part('x="y"', 'x'), file('a.txt')), {}],
    ['with a list index of almost 2^32', form(field('tags[4294967290]', 'x'), file('a.txt')), {}],
    ['with a list index of 99,999,999', form(field('tags[99999999]', 'x'), file('a.txt')), {}],
    ['with an object nested 30 deep', form(field(`alt${'[a]'.repeat(30)}`, 'x'), file('a.txt')), {}],
    ['with an object instead of a text', form(field('alt[a]', 'x'), file('a.txt')), {}],
    ['with a repeated text', form(field('alt', 'x'), field('alt', 'y'), file('a.txt')), {}],
  ])('refuses a form %s', async (_, body, headers) => {
    expect(await send(body, headers as Record<string, string>)).toEqual(BAD_REQUEST);
    expect(await shop.names()).toEqual([]);
  });

  it.each([
    ['an empty body', Buffer.alloc(0)],
    ['only the closing boundary', END],
    ['only fields', form(field('alt', 'x'))],
    ['a file in another field', form(file('a.txt', 'words', 'other'))],
    ['a text field called file', form(field('file', 'words'))],
  ])('returns API.CdnFiles.FileRequired for %s', async (_, body) => {
    expect(await send(body)).toEqual(FILE_REQUIRED);
  });

  it('prevents prototype pollution by field names', async () => {
    for (const name of ['__proto__', '__proto__[alt]', 'constructor', 'constructor[prototype][alt]', 'toString']) {
      const { status } = await send(form(field(name, 'polluted'), file(`${name.length}.txt`)));
      expect([name, [201, 400].includes(status)]).toEqual([name, true]);
    }
    expect(({} as { alt?: unknown }).alt).toBeUndefined();
  });
});

describe('the file name of a part', () => {
  it.each([
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['C:\\fakepath\\Čizma.txt', 'Čizma.txt'],
    ['Ципела 👢.txt', 'Ципела 👢.txt'],
    ['a%0d%0aSet-Cookie: x.txt', 'a Set-Cookie: x.txt'],
    ['a%22b.txt', 'a"b.txt'],
    ['a\\"b.txt', 'a"b.txt'],
    ["a'b;c.txt", "a'b;c.txt"],
    ['50%.txt', '50%.txt'],
    ['%00.txt', '%00.txt'],
    ['...', '...'],
    [' ', 'file'],
    [`${'x'.repeat(300)}.txt`, `${'x'.repeat(251)}.txt`],
  ])('turns the file name %s into %j', async (sentName, expected) => {
    shop = new MediaShop(api, await api.app());
    const { status, body } = await send(form(file(sentName)));
    expect([status, body.data?.filename]).toEqual([201, expected]);
    expect(body.data.key).toMatch(/^[a-z0-9]{8}\/[a-z0-9_][a-z0-9._-]*$/);
  });

  it('accepts RFC 5987 encoding', async () => {
    const { body } = await send(form(part(`name="file"; filename*=UTF-8''%D1%86ipela.txt`, 'words')));
    expect(body.data.filename).toBe('цipela.txt');
  });

  it.each(['a\r\nX: y', 'a\nb'])('removes or refuses a line break in the name: %j', async (name) => {
    const { status, body } = await send(form(file(name)));
    expect([400, 201]).toContain(status);
    if (status === 201) expect(body.data.filename).not.toMatch(/[\r\n]/);
  });
});

describe('the upload limit', () => {
  it('accepts a file at the limit and refuses one byte more', async () => {
    const { status, body } = await send(form(file('most.txt', 'x'.repeat(LIMIT))));
    expect([status, body.data.size]).toEqual([201, LIMIT]);
    expect(await send(form(file('more.txt', 'x'.repeat(LIMIT + 1))))).toEqual(TOO_LARGE);
  });

  it('refuses a body with a larger Content-Length', async () => {
    const response = await exchangeBytes(
      api.origin,
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.client.token}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 3000000000\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('applies to chunked bodies', async () => {
    const chunked = { 'Transfer-Encoding': 'chunked' };
    expect((await send(form(file('chunked.txt', 'x'.repeat(LIMIT))), chunked)).status).toBe(201);
    expect(await send(form(file('longer.txt', 'x'.repeat(LIMIT + 1))), chunked)).toEqual(TOO_LARGE);
  });

  it('refuses an unknown token before receiving the file', async () => {
    const { status } = await send(form(file('a.txt', 'x'.repeat(LIMIT))), { Authorization: 'Bearer none' });
    expect(status).toBe(401);
  });
});

describe('an unwritable upload folder', () => {
  it('returns 503 until it is writable again', async () => {
    const [folder, movedFolder] = [join(api.dataDir, 'uploads'), join(api.dataDir, 'away')];
    await rename(folder, movedFolder);
    expect((await send(form(file('a.txt')))).status).toBe(503);
    await rename(movedFolder, folder);
    expect((await send(form(file('b.txt')))).status).toBe(201);
  });
});

describe('a client that disconnects', () => {
  it('leaves nothing behind when it disconnects during an upload', async () => {
    const objectsBefore = await shop.objects();
    const { hostname, port } = new URL(api.origin);
    const head =
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.client.token}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000\r\n\r\n`;
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(Buffer.concat([Buffer.from(head), file('gone.txt', 'x'.repeat(50_000))]));
    for (let round = 0; round < 100 && (await listSpooledFiles()).length === 0; round += 1) await pause(10);
    expect(await listSpooledFiles()).toHaveLength(1);
    socket.destroy();
    expect(await isSpoolEmpty()).toBe(true);
    expect(await shop.objects()).toEqual(objectsBefore);
  });

  it('causes no failed job when it disconnects after its upload', async () => {
    const { hostname, port } = new URL(api.origin);
    const body = form(file('after.txt', 'words'));
    await new Promise<void>((resolve) => {
      const headers = {
        'Content-Type': 'multipart/form-data; boundary=b',
        Authorization: `Bearer ${shop.client.token}`,
        'Content-Length': body.length,
      };
      const uploadRequest = request({ hostname, port, method: 'POST', path: PATH, headers });
      uploadRequest.on('error', () => resolve());
      uploadRequest.on('close', () => resolve());
      uploadRequest.end(body, () => setImmediate(() => uploadRequest.destroy()));
    });
    await pause(300);
    await api.work();
    expect(api.jobFailures).toEqual([]);
  });
});

describe('a replacement', () => {
  it('is refused with two files or without its end', async () => {
    const { id } = await shop.text('kept.txt', { on_conflict: 'rename' });
    for (const body of [form(file('a.txt'), file('b.txt')), file('a.txt')]) {
      const headers = {
        'Content-Type': 'multipart/form-data; boundary=b',
        Authorization: `Bearer ${shop.client.token}`,
      };
      const { status } = await raw.call({ method: 'POST', path: `${PATH}/${id}/replace`, headers, body });
      expect(status).toBe(400);
    }
    expect((await shop.file(id)).version).toBe(1);
  });
});
