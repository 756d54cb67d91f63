import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3MediaStore } from './s3-media-store.js';

// The contract of media stores needs an S3 server: tools/storage-s3 runs it.

const OPTIONS = { region: 'us-east-1', bucket: 'media', accessKeyId: 'KEY', secretAccessKey: 'SECRET' };
const NO_SUCH_KEY = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>NoSuchKey</Code></Error>';

/** An S3 service with an empty bucket. */
let server: Server;
let emptyStore: S3MediaStore;
beforeAll(async () => {
  server = createServer(({ method }, response) => {
    response.writeHead(method === 'HEAD' ? 200 : 404).end(method === 'HEAD' ? undefined : NO_SUCH_KEY);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  emptyStore = new S3MediaStore({ ...OPTIONS, endpoint: `http://127.0.0.1:${port}` });
});
afterAll(() => {
  emptyStore.close();
  server.close();
});

const unreachableStore = new S3MediaStore({ ...OPTIONS, endpoint: 'http://127.0.0.1:9' });
afterAll(() => unreachableStore.close());

describe('an unreachable S3 service', () => {
  it('fails a ping', async () => {
    await expect(unreachableStore.ping()).rejects.toThrow();
  });

  it('fails a read, unlike a missing object', async () => {
    expect(await emptyStore.read('none')).toBeUndefined();
    await expect(unreachableStore.read('none')).rejects.toThrow();
  });
});
