import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startServer, type ServerProcess } from '../../testing/server-process.js';
import { testApi, type Client, type TestApi } from '../../testing/test-api.js';
import { TOKENS } from '../../tokens.js';

const CLIENT_COUNT = 4;
const ROUND_COUNT = 3;
const MIN_UPLOADS_BEFORE_KILL = 4;

let api: TestApi;
let shop: Client;
let dataDir: string;
let runningServer: ServerProcess | undefined;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'media-kill-'));
  api = await testApi({ DATA_DIR: dataDir });
  api.clock.setToSystemTime();
  shop = await api.app();
});
afterAll(async () => {
  await runningServer?.stop('SIGKILL');
  await api.close();
  await rm(dataDir, { recursive: true, force: true });
});

const startService = (): Promise<ServerProcess> =>
  startServer({ DATABASE_URL: api.url, DATA_DIR: dataDir, LOG_LEVEL: 'silent' });

interface Round {
  readonly server: ServerProcess;
  readonly acknowledgedIds: number[];
  isKilled: boolean;
}

async function uploadUntilKilled(round: Round, name: string, bytes: Uint8Array): Promise<void> {
  const client = api.withOrigins(shop, [round.server.origin]);
  try {
    for (let count = 0; ; count += 1) {
      const { status, body } = await client.upload('/cdn/files', { name: `${name}-${count}.jpg`, bytes });
      expect(status).toBe(201);
      round.acknowledgedIds.push(body.data.id);
      if (count % 2 === 0) continue;
      await client.upload(
        `/cdn/files/${body.data.id}/replace`,
        { name: 'again.jpg', bytes },
        { cache_strategy: 'version' },
      );
    }
  } catch (error) {
    if (!round.isKilled) throw error;
  }
}

async function uploadAndKill(name: string, bytes: Uint8Array, delayMs: number): Promise<number[]> {
  runningServer = await startService();
  const round: Round = { server: runningServer, acknowledgedIds: [], isKilled: false };
  const clients = Array.from({ length: CLIENT_COUNT }, (_, client) =>
    uploadUntilKilled(round, `${name}-${client}`, bytes),
  );
  const kill = async () => {
    while (round.acknowledgedIds.length < MIN_UPLOADS_BEFORE_KILL) await pause(5);
    await pause(delayMs);
    round.isKilled = true;
    await round.server.stop('SIGKILL');
  };
  await Promise.all([...clients, kill()]);
  return round.acknowledgedIds;
}

interface FileRow {
  readonly id: number;
  readonly key: string;
  readonly size: number;
  readonly processing: string;
  readonly version: number;
}

const listFileRows = (): Promise<FileRow[]> =>
  api.database.rows<FileRow>(
    `select id, key, size, processing, version from cdn_files where app_id = $1 and state = 'active' order by id`,
    [shop.appId],
  );

const listObjects = async (): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of api.container.get(TOKENS.Library).library.store.list('')) keys.push(key);
  return keys.sort();
};

const listReferencedBlobs = async (): Promise<string[]> =>
  (
    await api.database.rows<{ key: string }>(
      `select content as key from cdn_files where app_id = $1
       union select original from cdn_files where app_id = $1 and original is not null
       union select content from cdn_renditions where app_id = $1
       union select content from cdn_file_versions where app_id = $1
       union select original from cdn_file_versions where app_id = $1 and original is not null`,
      [shop.appId],
    )
  )
    .map(({ key }) => key)
    .sort();

describe('a service killed while it receives and processes files', () => {
  it('loses no acknowledged file and leaves no orphans', async () => {
    const bytes = await sharpSampleImages.still('image/jpeg', 1_300, 900);
    const acknowledgedIds: number[] = [];
    for (let round = 0; round < ROUND_COUNT; round += 1) {
      acknowledgedIds.push(...(await uploadAndKill(`${round}`, bytes, 150 * round)));
    }
    runningServer = await startService();
    for (
      let remaining = 240;
      remaining > 0 && (await listFileRows()).some(({ processing }) => processing === 'pending');
      remaining -= 1
    ) {
      await pause(250);
    }
    const files = await listFileRows();
    expect(files.filter(({ processing }) => processing !== 'done')).toEqual([]);
    expect(acknowledgedIds.filter((id) => !files.some((file) => file.id === id))).toEqual([]);
    for (const { key, size, version } of files) {
      const response = await fetch(`${runningServer.origin}/media/${key}?v=${version}`);
      expect([key, response.status, (await response.arrayBuffer()).byteLength]).toEqual([key, 200, size]);
    }
    await runningServer.stop();
    runningServer = undefined;
    const { sweep } = api.container.get(TOKENS.Library);
    api.clock.forward({ hours: 24 * 365 });
    await api.container.get(TOKENS.Database).uploadReceipts.sweep();
    await api.runJobs();
    await sweep.run();
    expect(api.jobFailures).toEqual([]);
    expect(await listObjects()).toEqual(await listReferencedBlobs());
  }, 120_000);
});
