import { MediaShop } from '../testing/media-shop.js';
import { testApi, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

const DAYS = 90;

let api: TestApi;
let shop: MediaShop;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = new MediaShop(api, await api.app());
  await shop.client.patch('/app/settings', { media: { auto_hide_unused_days: DAYS } });
});

/** What the worker does once a day, so many days later. */
async function daysLater(days: number): Promise<void> {
  api.clock.forward({ hours: 24 * days });
  await api.container.get(TOKENS.Library).files.hideUnused();
}

describe('media.auto_hide_unused_days', () => {
  it('hides a file that has been in use nowhere for so long, and says who did and when', async () => {
    const { id } = await shop.text('a.txt');
    await daysLater(DAYS - 1);
    expect(await shop.file(id)).toMatchObject({ hidden: false, hidden_by: null });
    await daysLater(1);
    const at = api.clock.now().toISOString().slice(0, 19);
    expect(await shop.file(id)).toMatchObject({ hidden: true, hidden_by: 'auto', hidden_at: at });
  });

  it('leaves a file alone that is in use', async () => {
    const file = await shop.text('used.txt');
    await shop.use(file);
    await daysLater(DAYS);
    expect(await shop.file(file.id)).toMatchObject({ hidden: false });
  });

  it('never hides a file that somebody has shown again', async () => {
    const { id } = await shop.text('a.txt');
    await daysLater(DAYS);
    await shop.client.patch('/cdn/file', { id, hidden: false });
    await daysLater(DAYS);
    expect(await shop.file(id)).toMatchObject({ hidden: false, hidden_by: null });
  });

  it('leaves to a person what that person has hidden', async () => {
    const { id } = await shop.text('a.txt');
    await shop.client.patch('/cdn/file', { id, hidden: true, hidden_note: 'Old season' });
    const hidden = await shop.file(id);
    await daysLater(DAYS);
    expect(await shop.file(id)).toEqual(hidden);
  });

  it('counts from the last content', async () => {
    const { id } = await shop.text('a.txt');
    await daysLater(DAYS - 1);
    await shop.replace(id, 'new words');
    await daysLater(1);
    expect(await shop.file(id)).toMatchObject({ hidden: false });
  });

  it('holds for the apps that have set it', async () => {
    const other = new MediaShop(api, await api.app());
    const { id } = await other.text('a.txt');
    await daysLater(DAYS);
    expect(await other.file(id)).toMatchObject({ hidden: false });
  });

  it('does not reach into Trash', async () => {
    const file = await shop.text('a.txt');
    await shop.trash(file);
    await daysLater(DAYS);
    const [row] = await api.database.rows('select state, hidden from cdn_files where app_id = $1 and id = $2', [
      shop.client.appId,
      file.id,
    ]);
    expect(row).toEqual({ state: 'trashed', hidden: false });
  });
});
