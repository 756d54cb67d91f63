import { mediaStoreContract } from '@back-office/media/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { S3MediaStore } from './s3-media-store.js';

const OPTIONS = { region: 'us-east-1', bucket: 'media', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

async function onS3rver(): Promise<{ readonly store: S3MediaStore; close(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 's3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'media', configs: [] }],
  });
  const { port } = (await server.run()) as AddressInfo;
  const store = new S3MediaStore({ ...OPTIONS, endpoint: `http://127.0.0.1:${port}` });
  const close = async (): Promise<void> => {
    store.close();
    await server.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { store, close };
}

describe('the media store on S3', () => {
  mediaStoreContract(onS3rver);
});

describe('an S3 service that cannot be used', () => {
  it('does not answer a ping', async () => {
    const nobody = new S3MediaStore({ ...OPTIONS, endpoint: 'http://127.0.0.1:9' });
    await expect(nobody.ping()).rejects.toThrow();
    nobody.close();
  });

  it('is told apart from an object that is not there', async () => {
    const { store, close } = await onS3rver();
    expect(await store.read('none')).toBeUndefined();
    const elsewhere = new S3MediaStore({ ...OPTIONS, endpoint: 'http://127.0.0.1:9' });
    await expect(elsewhere.read('none')).rejects.toThrow();
    elsewhere.close();
    await close();
  });
});
