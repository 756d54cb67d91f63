import { readdir, rename } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BASE_PATH } from '../../http/base-path.js';
import { testApi, type TestApi } from '../../testing/test-api.js';
import { MediaShop } from '../../testing/media-shop.js';
import { exchangeBytes, RawHttp } from '../../testing/raw-http.js';

const MAX_FILE_BYTES = 100_000;
let api: TestApi;
let raw: RawHttp;
let shop: MediaShop;

beforeAll(async () => {
  api = await testApi({ UPLOAD_LIMIT: String(MAX_FILE_BYTES) });
  raw = new RawHttp(api.origin);
  shop = new MediaShop(api, await api.app());
});
afterAll(async () => {
  raw.close();
  await api.close();
});

const PATH = `${BASE_PATH}/cdn/files`;
const makePart = (head: string, body: string | Buffer = '') =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ]);
const makeField = (name: string, value: string | Buffer) => makePart(`name="${name}"`, value);
const makeFile = (name: string, content: string | Buffer = 'words', fieldName = 'file') =>
  makePart(`name="${fieldName}"; filename="${name}"`, content);
const END = Buffer.from('--b--\r\n');
const makeForm = (...parts: readonly Buffer[]) => Buffer.concat([...parts, END]);
const sendForm = async (body: Buffer, headers: Record<string, string> = {}) => {
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
    ['without a boundary', makeForm(makeFile('a.txt')), { 'Content-Type': 'multipart/form-data' }],
    ['with another boundary', makeForm(makeFile('a.txt')), { 'Content-Type': 'multipart/form-data; boundary=c' }],
    ['of JSON', Buffer.from('{}'), { 'Content-Type': 'application/json' }],
    ['without a type', makeForm(makeFile('a.txt')), { 'Content-Type': '' }],
    ['of another multipart type', makeForm(makeFile('a.txt')), { 'Content-Type': 'multipart/mixed; boundary=b' }],
    ['cut within its file', makeFile('a.txt', 'x'.repeat(50_000)).subarray(0, 40_000), {}],
    ['cut within the headers of a part', Buffer.from('--b\r\nContent-Disposition: form-data; name="fi'), {}],
    ['without its end', makeFile('a.txt'), {}],
    ['of garbage', Buffer.from('x'.repeat(10_000)), {}],
    ['with two files', makeForm(makeFile('a.txt'), makeFile('b.txt')), {}],
    ['with a second file in another field', makeForm(makeFile('a.txt'), makeFile('b.txt', 'x', 'other')), {}],
    [
      'with 1,000 parts',
      makeForm(makeFile('a.txt'), ...Array.from({ length: 1_000 }, () => makeField('alt', 'x'))),
      {},
    ],
    [
      'with 41 fields',
      makeForm(...Array.from({ length: 41 }, (_, index) => makeField(`f${index}`, 'x')), makeFile('a.txt')),
      {},
    ],
    ['with a huge field', makeForm(makeField('alt', 'x'.repeat(70_000)), makeFile('a.txt')), {}],
    ['with a huge field name', makeForm(makeField('x'.repeat(200), 'x'), makeFile('a.txt')), {}],
    ['with huge part headers', makeForm(makePart(`name="a"; x="${'x'.repeat(100_000)}"`, 'x'), makeFile('a.txt')), {}],
    ['with an unnamed field', makeForm(makePart('x="y"', 'x'), makeFile('a.txt')), {}],
    ['with a list index of almost 2^32', makeForm(makeField('tags[4294967290]', 'x'), makeFile('a.txt')), {}],
    ['with a list index of 99,999,999', makeForm(makeField('tags[99999999]', 'x'), makeFile('a.txt')), {}],
    ['with an object nested 30 deep', makeForm(makeField(`alt${'[a]'.repeat(30)}`, 'x'), makeFile('a.txt')), {}],
    ['with an object instead of a text', makeForm(makeField('alt[a]', 'x'), makeFile('a.txt')), {}],
    ['with a repeated text', makeForm(makeField('alt', 'x'), makeField('alt', 'y'), makeFile('a.txt')), {}],
  ])('is refused: %s', async (_, body, headers) => {
    expect(await sendForm(body, headers as Record<string, string>)).toEqual(BAD_REQUEST);
    expect(await shop.names()).toEqual([]);
  });

  it.each([
    ['an empty body', Buffer.alloc(0)],
    ['only the closing boundary', END],
    ['only fields', makeForm(makeField('alt', 'x'))],
    ['a file in another field', makeForm(makeFile('a.txt', 'words', 'other'))],
    ['a text field called file', makeForm(makeField('file', 'words'))],
  ])('returns API.CdnFiles.FileRequired for %s', async (_, body) => {
    expect(await sendForm(body)).toEqual(FILE_REQUIRED);
  });

  it('cannot pollute prototypes by field names', async () => {
    for (const name of ['__proto__', '__proto__[alt]', 'constructor', 'constructor[prototype][alt]', 'toString']) {
      const { status } = await sendForm(makeForm(makeField(name, 'polluted'), makeFile(`${name.length}.txt`)));
      expect([name, [201, 400].includes(status)]).toEqual([name, true]);
    }
    expect(({} as { alt?: unknown }).alt).toBeUndefined();
  });
});

describe('the tags of a form', () => {
  const tagsOf = async (...parts: readonly Buffer[]) => {
    const { status, body } = await sendForm(makeForm(...parts, makeFile(`${Math.random()}.txt`)));
    return status === 201 ? body.data.tags : [status, body];
  };
  const makeJson = (name: string, text: string, head = '; filename="blob"') =>
    makePart(`name="${name}"${head}\r\nContent-Type: application/json`, text);

  it('may be a JSON array, in a text or in a part of this type', async () => {
    const list = '["a, b", "c"]';
    expect([
      await tagsOf(makeField('tags', list)),
      await tagsOf(makeJson('tags', list)),
      await tagsOf(makeJson('tags', list, '')),
      await tagsOf(makeJson('tags', '"a, b"'), makeJson('tags', '"c"')),
      await tagsOf(makeField('tags', '[sale], c')),
    ]).toEqual([...Array.from({ length: 4 }, () => ['a, b', 'c']), ['[sale]', 'c']]);
  });

  it('are refused in a JSON array of other values', async () => {
    const refusal = [422, { errors: { tags: ['is invalid'] } }];
    expect(await tagsOf(makeField('tags', '["a", 1]'))).toEqual(refusal);
    expect((await tagsOf(makeJson('tags', '["a", {}]')))[0]).toBe(400);
  });

  it('are named when their part is not valid JSON', async () => {
    for (const text of ['["a"', `["${'x'.repeat(70_000)}"]`]) {
      const { status, body } = await sendForm(makeForm(makeJson('tags', text), makeFile('a.txt')), {
        Accept: 'application/problem+json, application/json',
      });
      expect([status, body.errors]).toEqual([400, [expect.objectContaining({ pointer: '/tags' })]]);
    }
  });

  it('leave room for only one file', async () => {
    expect(await sendForm(makeForm(makeJson('tags', '[]'), makeFile('a.txt'), makeFile('b.txt')))).toEqual(BAD_REQUEST);
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
  ])('is %s in the form and %j in the record', async (originalName, expected) => {
    shop = new MediaShop(api, await api.app());
    const { status, body } = await sendForm(makeForm(makeFile(originalName)));
    expect([status, body.data?.filename]).toEqual([201, expected]);
    expect(body.data.key).toMatch(/^[a-z0-9]{8}\/[a-z0-9_][a-z0-9._-]*$/);
  });

  it('may use RFC 5987 encoding', async () => {
    const { body } = await sendForm(makeForm(makePart(`name="file"; filename*=UTF-8''%D1%86ipela.txt`, 'words')));
    expect(body.data.filename).toBe('цipela.txt');
  });

  it.each(['a\r\nX: y', 'a\nb'])('loses its line break, or the form is refused: %j', async (name) => {
    const { status, body } = await sendForm(makeForm(makeFile(name)));
    expect([400, 201]).toContain(status);
    if (status === 201) expect(body.data.filename).not.toMatch(/[\r\n]/);
  });
});

describe('the upload limit', () => {
  it('accepts a file at the limit and refuses one byte more', async () => {
    const { status, body } = await sendForm(makeForm(makeFile('most.txt', 'x'.repeat(MAX_FILE_BYTES))));
    expect([status, body.data.size]).toEqual([201, MAX_FILE_BYTES]);
    expect(await sendForm(makeForm(makeFile('more.txt', 'x'.repeat(MAX_FILE_BYTES + 1))))).toEqual(TOO_LARGE);
  });

  it('refuses a body with a larger Content-Length', async () => {
    const response = await exchangeBytes(
      api.origin,
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.client.token}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 3000000000\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('applies the same limit to chunked bodies', async () => {
    const chunked = { 'Transfer-Encoding': 'chunked' };
    expect((await sendForm(makeForm(makeFile('chunked.txt', 'x'.repeat(MAX_FILE_BYTES))), chunked)).status).toBe(201);
    expect(await sendForm(makeForm(makeFile('longer.txt', 'x'.repeat(MAX_FILE_BYTES + 1))), chunked)).toEqual(
      TOO_LARGE,
    );
  });

  it('refuses an unknown token before receiving the file', async () => {
    const { status } = await sendForm(makeForm(makeFile('a.txt', 'x'.repeat(MAX_FILE_BYTES))), {
      Authorization: 'Bearer none',
    });
    expect(status).toBe(401);
  });
});

describe('an unwritable upload folder', () => {
  it('causes 503 answers until it is writable again', async () => {
    const [folder, movedFolder] = [join(api.dataDir, 'uploads'), join(api.dataDir, 'away')];
    await rename(folder, movedFolder);
    expect((await sendForm(makeForm(makeFile('a.txt')))).status).toBe(503);
    await rename(movedFolder, folder);
    expect((await sendForm(makeForm(makeFile('b.txt')))).status).toBe(201);
  });
});

describe('a client that disconnects', () => {
  it('leaves no file behind during its upload', async () => {
    const objectsBefore = await shop.storedKeys();
    const { hostname, port } = new URL(api.origin);
    const head =
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.client.token}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000\r\n\r\n`;
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(Buffer.concat([Buffer.from(head), makeFile('gone.txt', 'x'.repeat(50_000))]));
    for (let round = 0; round < 100 && (await listSpooledFiles()).length === 0; round += 1) await pause(10);
    expect(await listSpooledFiles()).toHaveLength(1);
    socket.destroy();
    expect(await isSpoolEmpty()).toBe(true);
    expect(await shop.storedKeys()).toEqual(objectsBefore);
  });

  it('causes no failed job after its upload', async () => {
    const { hostname, port } = new URL(api.origin);
    const body = makeForm(makeFile('after.txt', 'words'));
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
    await api.runJobs();
    expect(api.jobFailures).toEqual([]);
  });
});

describe('a replacement', () => {
  it('is refused with two files or without a closing boundary', async () => {
    const { id } = await shop.text('kept.txt', { on_conflict: 'rename' });
    for (const body of [makeForm(makeFile('a.txt'), makeFile('b.txt')), makeFile('a.txt')]) {
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
