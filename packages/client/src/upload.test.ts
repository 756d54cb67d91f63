import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client, type Progress } from './index.js';
import { startFakeService, type FakeService } from './testing/fake-service.js';

let service: FakeService;
let client: Client;
beforeAll(async () => {
  service = await startFakeService();
  client = createClient({ baseUrl: service.baseUrl, token: 'secret', retries: { baseDelayMs: 1 } });
});
afterAll(() => service.close());

const CREATED = { status: 201, body: { data: { id: 5 } } };

/** Reads the form as a server does. */
function formOf(index = 0): Promise<FormData> {
  const { headers, body } = service.received[index] as FakeService['received'][number];
  const type = String(headers['content-type']);
  return new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData();
}

const textOf = async (form: FormData): Promise<string> => (form.get('file') as File).text();

describe('an upload', () => {
  it('sends fields and file as a form', async () => {
    service.plan(CREATED);
    const file = new File(['hello'], 'a "b"\r\n.txt', { type: 'text/plain' });
    const body = { file, folder: 'products', tags: ['a', 'b,c'], alt: null, caption: 'Čaj' };
    const { data } = await client.upload('/cdn/files', { body });
    expect(data.id).toBe(5);
    const form = await formOf();
    expect([...form.keys()]).toEqual(['folder', 'tags', 'tags', 'caption', 'file']);
    expect([form.get('folder'), form.getAll('tags'), form.get('caption')]).toEqual(['products', ['a', 'b,c'], 'Čaj']);
    const { name, type } = form.get('file') as File;
    expect([name, type, await textOf(form)]).toEqual(['a "b"\r\n.txt', 'text/plain', 'hello']);
    expect(service.received[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('sends a file from disk, reports progress, and sends it again after a failure', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'client-'));
    const path = join(folder, 'large.bin');
    await writeFile(path, Buffer.alloc(1_000_000, 7));
    service.plan({ status: 503 }, CREATED);
    const progress: Progress[] = [];
    const body = { file: await openAsBlob(path), cache_strategy: 'version' } as const;
    await client.upload('/cdn/files/{id}/replace', {
      path: { id: 5 },
      body,
      fileName: 'large.bin',
      onProgress: (event) => progress.push(event),
    });
    expect(service.received.map(({ url }) => url)).toEqual(Array(2).fill('/api/v2/cdn/files/5/replace'));
    const [first, second] = service.received.map(({ headers }) => headers['idempotency-key']);
    expect(first).toBe(second);
    const file = (await formOf(1)).get('file') as File;
    expect([file.name, file.size]).toEqual(['large.bin', 1_000_000]);
    const total = service.received[1]?.body.length;
    expect(progress.at(-1)).toEqual({ sentBytes: total, totalBytes: total, attempt: 2 });
    expect(progress[0]).toEqual({ sentBytes: 0, totalBytes: total, attempt: 1 });
    expect(progress.length).toBeGreaterThan(10);
    await rm(folder, { recursive: true });
  });

  it.each([
    [
      'an async iterable',
      async function* () {
        yield Buffer.from('hel');
        yield Buffer.from('lo');
      },
    ],
    ['a ReadableStream', () => new Blob(['hello']).stream()],
  ])('sends %s without a retry', async (_, makeStream) => {
    service.plan(CREATED);
    const progress: Progress[] = [];
    const onProgress = (event: Progress): unknown => progress.push(event);
    await client.upload('/cdn/files', { body: { file: makeStream() }, fileName: 'a.txt', onProgress });
    expect(await textOf(await formOf())).toBe('hello');
    expect(progress.at(-1)).toEqual({ sentBytes: service.received[0]?.body.length, attempt: 1 });
    service.plan({ status: 503 }, CREATED);
    const call = client.upload('/cdn/files', { body: { file: makeStream() }, fileName: 'a.txt' });
    await expect(call).rejects.toMatchObject({ status: 503 });
  });

  it('has a timeout only if the call sets one', async () => {
    const impatient = createClient({ baseUrl: service.baseUrl, token: 'x', retries: { maxAttempts: 1, timeoutMs: 1 } });
    service.plan(CREATED);
    const body = { file: new Blob(['x'.repeat(1_000_000)]) };
    await expect(impatient.upload('/cdn/files', { body })).resolves.toEqual(CREATED.body);
    service.plan({ hangs: true });
    await expect(impatient.upload('/cdn/files', { body, timeoutMs: 50 })).rejects.toMatchObject({ status: 0 });
  });

  it('has a timeout in the middle of a body that never ends', async () => {
    const endless = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('hel')) });
    service.plan(CREATED);
    const path = '/cdn/files/{id}/replace';
    const call = client.upload(path, {
      path: { id: 6 },
      body: { file: endless, cache_strategy: 'version' },
      timeoutMs: 50,
    });
    await expect(call).rejects.toMatchObject({ status: 0 });
    // The service may record the call of the test before only now.
    expect(service.received.filter(({ url }) => url.includes('/6/'))).toEqual([]);
  });

  it('throws an ApiError for a refusal', async () => {
    service.plan({ status: 422, body: { errors: { CdnFiles: ['API.CdnFiles.UnsupportedType'] } } });
    const call = client.upload('/cdn/files', { body: { file: new Blob(['x']) } });
    await expect(call).rejects.toMatchObject({ key: 'API.CdnFiles.UnsupportedType' });
  });
});
