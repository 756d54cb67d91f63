import { ciphers, openS3rverFixture, OPTIONS } from '../testing/on-s3rver.js';
import { S3MediaStore, type OnS3Request } from './s3-media-store.js';

beforeAll(ciphers.replace);
afterAll(ciphers.restore);

let requests: string[];
beforeEach(() => (requests = []));
const onRequest: OnS3Request =
  ({ method }) =>
  (status, error) =>
    requests.push(`${method} ${status ?? (error as { code?: string }).code}`);

describe('the observer of requests', () => {
  it('gets each request and the status of its answer', async () => {
    const { store, close } = await openS3rverFixture({ onRequest });
    await store.read('none');
    await store.ping();
    await close();
    expect(requests).toEqual(['GET 404', 'HEAD 200']);
  });

  it('gets the error of a request without an answer', async () => {
    const unreachableStore = new S3MediaStore({ ...OPTIONS, endpoint: 'http://127.0.0.1:9', onRequest });
    await expect(unreachableStore.ping()).rejects.toThrow();
    unreachableStore.close();
    expect(new Set(requests)).toEqual(new Set(['HEAD ECONNREFUSED']));
  });
});

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
