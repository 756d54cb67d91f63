import { isRefusal } from '@back-office/kernel';
import type { Runner } from '@back-office/kernel/testing';
import { TERMS } from '@back-office/media/testing';
import type { FolderPath } from '@back-office/media';
import { OrderShop } from '@back-office/orders/testing';
import { SampleShop } from '@back-office/proforma/testing';
import { expect } from 'expect';
import { libraryOf } from './library-of.js';
import type { RecordedChangesFixture } from './recorded-changes.contract.js';

const MISSING_ID = 987_654_321;
const DECIMALS = 2;

/** Tests the look-ups by id that the feed of events and repeated keyed calls use. */
export function recordsByIdContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<RecordedChangesFixture>,
): void {
  let fixture: RecordedChangesFixture;
  let appId: number;
  let otherAppId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    [appId, otherAppId] = [await fixture.makeApp(), await fixture.makeApp()];
  });

  describe('records by their ids', () => {
    it('include customers and their consents', async () => {
      const [ana, mira] = [await fixture.addCustomer(appId), await fixture.addCustomer(appId)];
      const foreign = await fixture.addCustomer(otherAppId);
      const ids = [mira.id, MISSING_ID, foreign.id, ana.id];
      const found = await fixture.customerQueries.findAll(appId, ids);
      expect(found.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([ana.id, mira.id]);
      expect(found.find(({ id }) => id === ana.id)).toMatchObject({ email: ana.email, first_name: ana.first_name });
      const request = { channel: 'email', state: 'revoked', source: 'mobile_app' } as const;
      await fixture.consents.change(appId, mira.id, request);
      const consents = await fixture.consentQueries.findAll(appId, ids);
      expect([...consents.keys()].toSorted((a, b) => a - b)).toEqual([ana.id, mira.id]);
      expect(consents.get(mira.id)).toEqual(await fixture.consentQueries.find(appId, mira.id));
    });

    it('include products and their stock', async () => {
      const [a, b] = [await fixture.addGoods(appId, { code: 'A' }), await fixture.addGoods(appId, { code: 'B' })];
      const foreign = await fixture.addGoods(otherAppId, { code: 'A' });
      const app = { id: appId, decimals: DECIMALS };
      const products = await fixture.productQueries.findAll(app, [b.productId, foreign.productId, MISSING_ID]);
      expect([...products.keys()]).toEqual([b.productId]);
      expect(products.get(b.productId)).toEqual(
        JSON.parse((await fixture.productQueries.find(app, { by: 'id', value: String(b.productId) })) ?? ''),
      );
      const warehouseId = await fixture.addWarehouse(appId, 'W');
      await fixture.addStock(appId, 'A', { W: 5 });
      await fixture.addStock(appId, 'B', { W: 7 });
      const shelves = [b.variantId, MISSING_ID, foreign.variantId].map((variantId) => ({ variantId, warehouseId }));
      const rows = await fixture.stockQueries.findAll(appId, [...shelves, { ...shelves[0]!, warehouseId: MISSING_ID }]);
      expect(rows).toMatchObject([{ product_variant_id: b.variantId, warehouse_id: warehouseId, on_hand: 7 }]);
      expect(a.variantId).not.toBe(b.variantId);
    });

    it('are the proformas and orders of the app, without missing ones', async () => {
      const [shop, otherShop] = [await SampleShop.open(fixture), await SampleShop.open(fixture)];
      const [first, second] = [await shop.proforma(), await shop.proforma()];
      const foreign = await otherShop.proforma();
      const proformaIds = [second.id, MISSING_ID, foreign.id, first.id];
      const proformas = await fixture.proformaQueries.findAll(shop.appId, proformaIds);
      expect(proformas.toSorted((a, b) => a.id - b.id)).toEqual([first, second]);
      const orderShop = await OrderShop.open(fixture);
      const [order, foreignOrder] = [await orderShop.sellOrder(), await (await OrderShop.open(fixture)).importOrder()];
      const orderIds = [MISSING_ID, foreignOrder.id, order.id];
      expect(await fixture.orderQueries.findAll(orderShop.appId, orderIds)).toEqual([order]);
    });

    it('include vouchers, promotions, payment and shipment methods', async () => {
      const [id = 0] = await fixture.addVoucher(appId, 'gift', 100);
      await fixture.addVoucher(appId, 'other', 100);
      const [foreignId = 0] = await fixture.addVoucher(otherAppId, 'gift', 100);
      const found = await fixture.setUpQueries.findAll('vouchers', appId, [foreignId, id, MISSING_ID]);
      expect(found).toMatchObject([{ id, code: 'gift', amount: 100 }]);
    });

    it('include files', async () => {
      const [library, otherLibrary] = [await libraryOf(fixture, appId), await libraryOf(fixture, otherAppId)];
      const [file, foreignFile] = [await library.addFile('a.txt'), await otherLibrary.addFile('a.txt')];
      await library.addFile('b.txt');
      const files = await fixture.mediaFileQueries.findAll(appId, [foreignFile.id, file.id, MISSING_ID]);
      expect([...files]).toEqual([[file.id, await library.findFile(file.id)]]);
    });

    it('include endpoints of webhooks', async () => {
      const add = async (app: number) => {
        const endpoint = await fixture.webhookEndpoints.create(app, {
          url: 'https://a.example/',
          description: null,
          types: null,
          subject: null,
          areas: null,
          createdBy: null,
          secret: 'whsec_AAAA',
        });
        if (isRefusal(endpoint)) throw new Error(endpoint.refused);
        return endpoint;
      };
      const [endpoint, foreign] = [await add(appId), await add(otherAppId)];
      await add(appId);
      expect(await fixture.webhookEndpoints.findAll(appId, [foreign.id, endpoint.id, MISSING_ID])).toEqual([endpoint]);
    });
  });

  describe('a repeated keyed call', () => {
    const editFile = (id: number) => () => fixture.mediaFiles.edit(appId, id, { alt: 'Changed' });

    it('returns the current state of the stored file', async () => {
      const library = await libraryOf(fixture, appId);
      const content = await library.upload();
      const file = { name: 'a.txt', folder: '' as FolderPath, onConflict: 'error', presetId: undefined } as const;
      const texts = { alt: null, caption: null, description: null, tags: [], source: null };
      const store = () => fixture.mediaFiles.store(library.app, content, { ...file, ...texts });
      const [first, second] = await fixture.repeatKeyed(appId, store, async (stored) => {
        if (!isRefusal(stored)) await editFile(stored.id)();
      });
      if (isRefusal(first) || isRefusal(second)) throw new Error('The file was refused');
      expect(second).toMatchObject({ id: first.id, key: first.key });
      expect(JSON.parse(second.data)).toEqual(await library.findFile(first.id));
      expect(await library.fileNames()).toEqual(['a.txt']);
    });

    it('returns the current state of the replaced file', async () => {
      const library = await libraryOf(fixture, appId);
      const { id } = await library.addFile('a.txt');
      const content = await library.upload();
      const replace = () => fixture.fileVersions.replace(appId, id, content, TERMS);
      const [first, second] = await fixture.repeatKeyed(appId, replace, editFile(id));
      expect(second).toEqual({ ...first, data: expect.any(String) });
      const data = second !== undefined && 'data' in second ? second.data : '';
      expect(JSON.parse(data)).toEqual(await library.findFile(id));
      expect(JSON.parse(data)).toMatchObject({ version: 2, alt: 'Changed' });
    });

    it('returns the current state of the changed folder', async () => {
      const library = await libraryOf(fixture, appId);
      await library.addFile('a.txt', { folder: 'one' as FolderPath });
      const [folder] = await fixture.mediaFolderQueries.branch(appId, '' as FolderPath);
      const describeFolder = () => fixture.mediaFolders.edit(appId, folder?.id ?? 0, { description: 'First' });
      const [first, second] = await fixture.repeatKeyed(appId, describeFolder, async () => {
        await library.addFile('b.txt', { folder: 'one' as FolderPath });
      });
      expect(first).toMatchObject({ path: 'one', branch: [{ description: 'First', files: 1 }] });
      expect(second).toMatchObject({ path: 'one', branch: [{ description: 'First', files: 2 }] });
    });
  });
}
