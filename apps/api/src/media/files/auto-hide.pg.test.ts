import { MediaShop } from '../../testing/media-shop.js';
import { testApi, type TestApi } from '../../testing/test-api.js';
import { TOKENS } from '../../tokens.js';

const AUTO_HIDE_DAYS = 90;

let api: TestApi;
let shop: MediaShop;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = new MediaShop(api, await api.app());
  await shop.client.patch('/app/settings', { media: { auto_hide_unused_days: AUTO_HIDE_DAYS } });
});

async function hideAfterDays(days: number): Promise<void> {
  api.clock.forward({ hours: 24 * days });
  await api.container.get(TOKENS.Database).mediaFiles.hideUnused();
}

describe('media.auto_hide_unused_days', () => {
  it('hides a file that has been unused for the set time, and records actor and time', async () => {
    const { id } = await shop.text('a.txt');
    await hideAfterDays(AUTO_HIDE_DAYS - 1);
    expect(await shop.file(id)).toMatchObject({ hidden: false, hidden_by: null });
    await hideAfterDays(1);
    const hiddenAt = api.clock.now().toISOString().slice(0, 19);
    expect(await shop.file(id)).toMatchObject({ hidden: true, hidden_by: 'auto', hidden_at: hiddenAt });
  });

  it('keeps a used file visible', async () => {
    const file = await shop.text('used.txt');
    await shop.recordUsage(file);
    await hideAfterDays(AUTO_HIDE_DAYS);
    expect(await shop.file(file.id)).toMatchObject({ hidden: false });
  });

  it('never hides a file that a person has made visible again', async () => {
    const { id } = await shop.text('a.txt');
    await hideAfterDays(AUTO_HIDE_DAYS);
    await shop.client.patch('/cdn/file', { id, hidden: false });
    await hideAfterDays(AUTO_HIDE_DAYS);
    expect(await shop.file(id)).toMatchObject({ hidden: false, hidden_by: null });
  });

  it('does not change a file that a person has hidden', async () => {
    const { id } = await shop.text('a.txt');
    await shop.client.patch('/cdn/file', { id, hidden: true, hidden_note: 'Old season' });
    const hiddenFile = await shop.file(id);
    await hideAfterDays(AUTO_HIDE_DAYS);
    expect(await shop.file(id)).toEqual(hiddenFile);
  });

  it('counts unused days from the last replacement of the file', async () => {
    const { id } = await shop.text('a.txt');
    await hideAfterDays(AUTO_HIDE_DAYS - 1);
    await shop.replace(id, 'new words');
    await hideAfterDays(1);
    expect(await shop.file(id)).toMatchObject({ hidden: false });
  });

  it('ignores files in Trash', async () => {
    const file = await shop.text('a.txt');
    await shop.trash(file);
    await hideAfterDays(AUTO_HIDE_DAYS);
    const [row] = await api.database.rows('select state, hidden from cdn_files where app_id = $1 and id = $2', [
      shop.client.appId,
      file.id,
    ]);
    expect(row).toEqual({ state: 'trashed', hidden: false });
  });
});
