import { TOKENS } from '../../tokens.js';
import { testApi, type TestApi } from '../../testing/test-api.js';
import { MediaShop } from '../../testing/media-shop.js';
import { PUBLISHED_STORE } from '../../testing/published-store.js';

let api: TestApi;
let shop: MediaShop;

beforeAll(async () => {
  api = await testApi(PUBLISHED_STORE);
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = new MediaShop(api, await api.app());
  api.jobFailures.length = 0;
});

const library = () => api.container.get(TOKENS.Library);
const updateJobs = (change: string) => api.database.rows(`update graphile_worker._private_jobs set ${change}`);
const countObjects = async () => (await shop.storedKeys()).length;

describe('an image that crashed every process', () => {
  it('is marked as failed, and other images are processed', async () => {
    const [crashingImage] = [await shop.jpeg('killer.jpg')];
    await updateJobs('attempts = 5, last_error = null');
    const otherImage = await shop.jpeg('other.jpg');
    await api.runJobs();
    expect([(await shop.file(crashingImage.id)).processing, (await shop.file(otherImage.id)).processing]).toEqual([
      'failed',
      'done',
    ]);
    expect((await shop.fetch(crashingImage.url)).status).toBe(200);
  });

  it('is retried when its earlier attempts reported an error instead', async () => {
    const file = await shop.jpeg('a.jpg');
    await updateJobs(`attempts = 5, last_error = 'The store is gone'`);
    await api.runJobs();
    expect((await shop.file(file.id)).processing).toBe('done');
  });
});

describe('an image that crashes the image processor', () => {
  let restore = (): void => {};
  afterEach(() => restore());

  it('is marked as failed after five crashes', async () => {
    const { images } = library();
    const originalProcess = images.process.bind(images);
    restore = () => (images.process = originalProcess);
    images.process = () => Promise.reject(new Error('The process has ended'));
    const file = await shop.jpeg('a.jpg');
    const states: string[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await shop.reschedule(file.id, 'content', '0');
      await api.runJobs();
      states.push((await shop.file(file.id)).processing);
    }
    expect(states).toEqual([...Array.from({ length: 5 }, () => 'pending'), 'failed']);
  });

  it('is processed when a retry after a crash succeeds', async () => {
    const { images } = library();
    const originalProcess = images.process.bind(images);
    images.process = () => {
      images.process = originalProcess;
      return Promise.reject(new Error('The process has ended'));
    };
    const file = await shop.jpeg('a.jpg');
    await api.runJobs();
    await shop.reschedule(file.id, 'content', '0');
    await api.runJobs();
    expect((await shop.file(file.id)).processing).toBe('done');
  });
});

describe('the daily sweep', () => {
  it('marks files without a job as failed after a day', async () => {
    const forgottenFile = await shop.jpeg('gone.jpg');
    await api.database.rows('delete from graphile_worker._private_jobs');
    const waitingFile = await shop.jpeg('waiting.jpg');
    api.clock.forward({ hours: 23 });
    await library().sweep.run();
    expect((await shop.file(forgottenFile.id)).processing).toBe('pending');
    api.clock.forward({ hours: 2 });
    await library().sweep.run();
    expect([(await shop.file(forgottenFile.id)).processing, (await shop.file(waitingFile.id)).processing]).toEqual([
      'failed',
      'pending',
    ]);
    await api.runJobs();
    expect((await shop.file(waitingFile.id)).processing).toBe('done');
  });

  it('retries jobs that had failed for good during a long failure of the store', async () => {
    const file = await shop.text('a.txt');
    await api.runJobs();
    const { store } = library().library;
    const originalRemove = store.remove.bind(store);
    store.remove = () => Promise.reject(new Error('The store is gone'));
    await shop.trash(file);
    await shop.client.delete(`/cdn/files/${file.id}/purge`);
    await updateJobs('attempts = max_attempts - 1');
    await api.runJobs();
    store.remove = originalRemove;
    await api.runJobs();
    expect(await countObjects()).toBe(2);
    await library().sweep.run();
    await api.runJobs();
    expect(await countObjects()).toBe(0);
  });
});

describe('media publish', () => {
  it('copies every file of an app to its public key', async () => {
    const [image] = [await shop.jpeg('a.jpg', {}, 400, 300), await shop.text('b.txt')];
    await shop.replace(image.id, 'words');
    await api.runJobs();
    const objectsBefore = await shop.storedKeys();
    for (const key of objectsBefore.filter((object) => !object.startsWith('_blobs/')))
      await library().library.store.remove(key);
    expect(await library().copies.syncAll(shop.client.appId)).toBe(3);
    expect(await shop.storedKeys()).toEqual(objectsBefore);
  });

  it('publishes each file once, even over several batches', async () => {
    await api.database.rows(
      `insert into cdn_files (app_id, state, content, key, folder, filename, kind, mime, size, checksum, processing, search_text, tags, last_modified, inserted_at)
       select $1, 'active', '_blobs/x/' || n, 'x/' || n, '', n::text, 'doc', 'text/plain', 1, '\\x00', 'done', n::text, '{}', now(), now()
       from generate_series(1, 1203) as n`,
      [shop.client.appId],
    );
    expect(await library().copies.syncAll(shop.client.appId)).toBe(1_203);
  });
});
