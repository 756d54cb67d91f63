import { parts } from '@back-office/media/testing';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BASE_PATH } from '../../http/base-path.js';
import { startServer, type ServerProcess } from '../../testing/server-process.js';
import { type TestDatabase, makeTestDatabase } from '@back-office/database-postgres/testing';

const MIB = 2 ** 20;
const LARGE_FILE_BYTES = 99 * MIB;
const MAX_GROWTH_BYTES = 32 * MIB;
/** Only Linux reports the peak memory of a process. */
const itOnLinux = process.platform === 'linux' ? it : it.skip;

let database: TestDatabase;
let dataDir: string;
let server: ServerProcess;
let token: string;

beforeAll(async () => {
  database = await makeTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'back-office-memory-'));
  server = await startServer({ DATABASE_URL: database.url, DATA_DIR: dataDir, DEMO: '1', LOG_LEVEL: 'silent' });
  token = /^ {2}(bo_app_\S+)$/m.exec(server.output())?.[1] ?? '';
}, 60_000);
afterAll(async () => {
  await server.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

function* generateWav(size: number): Generator<Uint8Array> {
  const format = parts.riffChunk(
    'fmt ',
    parts.u16le(1),
    parts.u16le(1),
    parts.u32le(8_000),
    parts.u32le(8_000),
    [1, 0, 8, 0],
  );
  yield parts.bytes('RIFF', parts.u32le(4 + format.length + 8 + size), 'WAVE', format, 'data', parts.u32le(size));
  const chunk = new Uint8Array(65_536).fill(128);
  for (let remaining = size; remaining > 0; remaining -= chunk.length)
    yield chunk.subarray(0, Math.min(remaining, chunk.length));
}

function* generateForm(name: string, size: number): Generator<Uint8Array> {
  yield Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`);
  yield* generateWav(size);
  yield Buffer.from('\r\n--b--\r\n');
}

interface UploadResponse {
  readonly status: number | undefined;
  readonly body: { readonly data: { readonly size: number; readonly mime: string; readonly url: string } };
}

async function upload(name: string, size: number): Promise<UploadResponse> {
  const { hostname, port } = new URL(server.origin);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'multipart/form-data; boundary=b' };
  const uploadRequest = request({ hostname, port, method: 'POST', path: `${BASE_PATH}/cdn/files`, headers });
  const responseEvent = once(uploadRequest, 'response') as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(generateForm(name, size)), uploadRequest);
  const [response] = await responseEvent;
  const text = (await response.toArray()).join('');
  return { status: response.statusCode, body: JSON.parse(text) as UploadResponse['body'] };
}

function readPeakMemory(): number {
  const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

function resetPeakMemory(): void {
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5');
}

describe('a file of 99 MB', () => {
  itOnLinux(
    'needs at most 32 MB more memory than small files',
    async () => {
      resetPeakMemory();
      for (let round = 0; round < 25; round += 1) await upload(`small ${round}.wav`, 4 * MIB);
      const peakBefore = readPeakMemory();
      const { status, body } = await upload('large.wav', LARGE_FILE_BYTES);
      expect([status, body.data.mime, body.data.size]).toEqual([201, 'audio/wav', LARGE_FILE_BYTES + 44]);
      const reply = await fetch(server.origin + new URL(body.data.url).pathname);
      let bytes = 0;
      for await (const chunk of reply.body ?? []) bytes += (chunk as Uint8Array).length;
      expect(bytes).toBe(LARGE_FILE_BYTES + 44);
      expect((readPeakMemory() - peakBefore) / MIB).toBeLessThan(MAX_GROWTH_BYTES / MIB);
    },
    60_000,
  );
});
