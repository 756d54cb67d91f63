import { ciphers, openS3rverFixture, OPTIONS } from '../testing/on-s3rver.js';
import { S3MediaStore } from './s3-media-store.js';

beforeAll(ciphers.replace);
afterAll(ciphers.restore);

describe('an unreachable S3 service', () => {
  it('fails a ping', async () => {
    const unreachableStore = new S3MediaStore({ ...OPTIONS, endpoint: 'http://127.0.0.1:9' });
    await expect(unreachableStore.ping()).rejects.toThrow();
    unreachableStore.close();
  });

  it('fails a read, unlike a missing object', async () => {
    const { store, close } = await openS3rverFixture();
    expect(await store.read('none')).toBeUndefined();
    const unreachableStore = new S3MediaStore({ ...OPTIONS, endpoint: 'http://127.0.0.1:9' });
    await expect(unreachableStore.read('none')).rejects.toThrow();
    unreachableStore.close();
    await close();
  });
});
