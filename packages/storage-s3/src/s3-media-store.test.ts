import { ciphers, onS3rver, OPTIONS } from '../testing/on-s3rver.js';
import { S3MediaStore } from './s3-media-store.js';

beforeAll(ciphers.replace);
afterAll(ciphers.restore);

describe('an unreachable S3 service', () => {
  it('fails a ping', async () => {
    const unreachable = new S3MediaStore({ ...OPTIONS, endpoint: 'http://127.0.0.1:9' });
    await expect(unreachable.ping()).rejects.toThrow();
    unreachable.close();
  });

  it('differs from a missing object', async () => {
    const { store, close } = await onS3rver();
    expect(await store.read('none')).toBeUndefined();
    const elsewhere = new S3MediaStore({ ...OPTIONS, endpoint: 'http://127.0.0.1:9' });
    await expect(elsewhere.read('none')).rejects.toThrow();
    elsewhere.close();
    await close();
  });
});
