import { createClient } from '@back-office/client';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BASE_PATH } from '../http/base-path.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { importEntries } from './import-entries.js';
import { importMedia } from './import-media.js';
import { ImportResults } from './import-results.js';

let api: TestApi;
let shop: Client;
let work: string;
let photos: string;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  work = mkdtempSync(join(tmpdir(), 'back-office-import-test-'));
  photos = join(work, 'photos');
  mkdirSync(join(photos, 'shoes', 'winter'), { recursive: true });
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

const resultsPath = (): string => join(work, 'results.csv');
const put = (path: string, content: string): void => writeFileSync(join(photos, path), content);
const rows = (): string[] => readFileSync(resultsPath(), 'utf8').trim().split('\n').slice(1);

async function run(from = photos, { folder = '', token = shop.token } = {}) {
  const failures: string[] = [];
  const counts = await importMedia(importEntries(from, folder), {
    client: createClient({ baseUrl: api.origin + BASE_PATH, token, retries: { maxAttempts: 1 } }),
    results: ImportResults.open(resultsPath()),
    atOnce: 2,
    onConflict: 'rename',
    onFailure: (source, error) => failures.push(`${source}: ${error}`),
  });
  return { ...counts, failures };
}

async function files(): Promise<{ id: number; filename: string; folder: string | null; url: string }[]> {
  return (await shop.get('/cdn/files')).body.data.files;
}

describe('the import of a folder', () => {
  it('uploads its files into the same folders of the library, without hidden files', async () => {
    put('a.txt', 'one');
    put('shoes/b.txt', 'two');
    put('shoes/winter/a.txt', 'three');
    put('.hidden', 'no');
    mkdirSync(join(photos, '.git'));
    put('.git/config', 'no');
    expect(await run(photos, { folder: 'old' })).toEqual({ imported: 3, skipped: 0, failed: 0, failures: [] });
    const stored = await files();
    expect(new Set(stored.map(({ folder, filename }) => `${folder}/${filename}`))).toEqual(
      new Set(['old/a.txt', 'old/shoes/b.txt', 'old/shoes/winter/a.txt']),
    );
    const { url } = stored.find(({ folder }) => folder === 'old/shoes') ?? { url: '' };
    expect(await (await fetch(api.origin + new URL(url).pathname)).text()).toBe('two');
    expect(rows()).toContainEqual(expect.stringMatching(`^shoes/b.txt,old/shoes,b.txt,\\d+,${url},$`));
  });

  it('continues in a later run: it skips imported files and tries failed ones again', async () => {
    put('a.txt', 'one');
    put('b.bin', '\0\u0001\u0002');
    expect(await run()).toMatchObject({
      imported: 1,
      failed: 1,
      failures: ['b.bin: API.CdnFiles.UnsupportedType 422'],
    });
    put('b.bin', 'text now');
    put('c.txt', 'three');
    expect(await run()).toMatchObject({ imported: 2, skipped: 1, failed: 0 });
    expect((await files()).map(({ filename }) => filename)).toEqual(['a.txt', 'b.bin', 'c.txt']);
  });

  it('does not upload a file again when a run was killed before it wrote the result', async () => {
    put('a.txt', 'one');
    await run();
    const [id] = (await files()).map((file) => file.id);
    const text = readFileSync(resultsPath(), 'utf8');
    writeFileSync(resultsPath(), text.slice(0, text.indexOf('a.txt')));
    appendFileSync(resultsPath(), 'a.txt,,a.txt,1,http://loc');
    expect(await run()).toMatchObject({ imported: 1, skipped: 0 });
    expect((await files()).map((file) => file.id)).toEqual([id]);
    expect(await run()).toMatchObject({ imported: 0, skipped: 1 });
  });

  it('keeps a file whose name begins with # or has a quote, and follows links to files', async () => {
    put('#1.txt', 'one');
    put('say "x", y.txt', 'two');
    symlinkSync(join(photos, '#1.txt'), join(photos, 'link.txt'));
    expect(await run()).toMatchObject({ imported: 3, failed: 0 });
    expect(await run()).toMatchObject({ imported: 0, skipped: 3 });
  });

  it('stops at once when the service accepts no upload', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) put(`${name}.txt`, name);
    await expect(run(photos, { token: 'bo_app_unknown' })).rejects.toThrow(
      'The service accepts no upload: API.Tokens.Invalid 401',
    );
    expect(rows()).toEqual([]);
  });

  it('refuses a file of results that is not one', async () => {
    writeFileSync(resultsPath(), 'code,price\n');
    await expect(run()).rejects.toThrow('exists, and is not the result of an import');
    expect(readFileSync(resultsPath(), 'utf8')).toBe('code,price\n');
  });
});

describe('the import of a list of URLs', () => {
  let server: Server;
  let base: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/gone.txt') response.writeHead(404).end();
      else response.end(`content of ${request.url}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const list = (...lines: readonly string[]): string => {
    const path = join(work, 'list.csv');
    writeFileSync(path, lines.join('\r\n'));
    return path;
  };

  it('stores the files with the texts of the list', async () => {
    const path = list(
      '\ufeffURL,Folder,Name,Alt,Tags,Price',
      `${base}/img/%C4%8Dizma.txt?v=2,shop/new,,"Boot, black","boots,winter",1`,
      `${base}/b.txt,,boot.txt,,,`,
    );
    expect(await run(path, { folder: 'old' })).toMatchObject({ imported: 2, failed: 0 });
    const stored = (await shop.get('/cdn/files')).body.data.files;
    expect(stored).toMatchObject([
      { filename: 'boot.txt', folder: 'old', alt: null, tags: [] },
      { filename: 'čizma.txt', folder: 'old/shop/new', alt: 'Boot, black', tags: ['boots', 'winter'] },
    ]);
    const { pathname } = new URL(stored[1].url);
    expect(await (await fetch(api.origin + pathname)).text()).toBe('content of /img/%C4%8Dizma.txt?v=2');
  });

  it('continues after a failed download', async () => {
    const path = list('url', `${base}/gone.txt`, `${base}/a.txt`);
    expect(await run(path)).toEqual({
      imported: 1,
      skipped: 0,
      failed: 1,
      failures: [`${base}/gone.txt: The download has the status 404`],
    });
    expect(rows()).toContain(`${base}/gone.txt,,gone.txt,,,The download has the status 404`);
  });

  it.each([[['link', 'x']], [[]]])('fails when the list has no column url: %j', async (lines) => {
    await expect(run(list(...lines))).rejects.toThrow('The CSV file has no column url');
  });

  it('reports a row without a URL, ignores blank rows and further cells, and imports the others', async () => {
    const path = list('url,folder', ',', 'nowhere,x', '', `${base}/a.txt,x,more`);
    expect(await run(path)).toEqual({
      imported: 1,
      skipped: 0,
      failed: 1,
      failures: ['nowhere: This is not a URL'],
    });
  });

  it('stores a URL in each of its folders, and skips each of them in the next run', async () => {
    const path = list('url,folder', `${base}/a.txt,one`, `${base}/a.txt,two`);
    expect(await run(path)).toMatchObject({ imported: 2, failed: 0 });
    expect(new Set((await files()).map(({ folder }) => folder))).toEqual(new Set(['one', 'two']));
    expect(await run(path)).toMatchObject({ imported: 0, skipped: 2 });
  });

  it('tries a refused file again with other options', async () => {
    const path = list('url', `${base}/a.txt`);
    expect(await run(path, { folder: '../x' })).toMatchObject({ imported: 0, failed: 1 });
    expect(await run(path, { folder: '../x' })).toMatchObject({ imported: 0, failed: 1 });
    expect(await run(path, { folder: 'x' })).toMatchObject({ imported: 1, failed: 0 });
  });
});
