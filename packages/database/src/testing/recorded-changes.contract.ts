import { isRefusal, EVENT_TYPES, type AuditEntry } from '@back-office/kernel';
import { eachCase, type ManualClock, type Runner } from '@back-office/kernel/testing';
import { type AppLibrary, RULES, TERMS } from '@back-office/media/testing';
import type { FolderPath, StoredFile } from '@back-office/media';
import { orderChange, OrderShop } from '@back-office/orders/testing';
import { cancellation, confirmation, conversion, SampleShop } from '@back-office/proforma/testing';
import { expect } from 'expect';
import type { Database } from '../index.js';
import { CURRENCY, idOf, MEDIA } from './fixture-values.js';
import { libraryOf } from './library-of.js';
import type { salesFixtureOf } from './sales-fixture.js';

type RecordedPorts = Omit<Database, 'calls' | 'health' | 'jobQueue'>;
export type RecordedChangesFixture = ReturnType<typeof salesFixtureOf<RecordedPorts>>;

const PAGE = { offset: 0, limit: 100 };
const SECRET = 'whsec_AAAA';
const ADDRESS = { address_line_1: 'Put 1', city: 'Novi Sad', postcode: '21000', market_id: 1 };

interface RecordedChange {
  readonly audited: readonly AuditEntry[];
  /** Example: `stock.changed 5`. */
  readonly published: readonly string[];
}

/** Tests that every port writes its audit entries and events in the transaction of the change. */
export function recordedChangesContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<RecordedChangesFixture>,
): void {
  let fixture: RecordedChangesFixture;
  let appId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
  });

  /** Returns the audit entries and events that `work` has added. */
  const recordsOf = async (work: () => Promise<unknown>, app = appId): Promise<RecordedChange> => {
    const earlierEntries = await fixture.auditLog.list(app, {}, PAGE);
    const position = await fixture.eventFeed.lastPosition(app);
    await work();
    const entries = (await fixture.auditLog.list(app, {}, PAGE)).slice(0, -earlierEntries.length || undefined);
    const page = await fixture.eventFeed.page(app, position, { types: EVENT_TYPES, limit: 100 });
    if ('restartAt' in page) throw new Error('The position has expired');
    return {
      audited: entries.toReversed().map(({ action, subjectId, before: previous, after: next }) => ({
        action,
        ...(subjectId !== null && { subjectId }),
        ...(previous !== null && { before: previous }),
        ...(next !== null && { after: next }),
      })),
      published: page.events.map(({ type, recordId }) => `${type} ${recordId}`),
    };
  };

  describe('promotions, vouchers, payment and shipment methods', () => {
    it('are audited with the changed fields', async () => {
      const cashMethod = { code: 'cashMethod', name: 'Till', kind: 'cash' };
      await fixture.setUp(appId, 'payment_methods', cashMethod);
      const rows = [cashMethod, { code: 'cashMethod', name: 'Desk' }, { ...cashMethod, code: 'new' }];
      expect(await recordsOf(() => fixture.setUp(appId, 'payment_methods', ...rows))).toEqual({
        audited: [
          {
            action: 'payment_methods.put',
            before: { cashMethod: { name: 'Till' } },
            after: {
              created: 1,
              changed: 1,
              records: { cashMethod: { name: 'Desk' }, new: { ...cashMethod, code: 'new' } },
            },
          },
        ],
        published: [],
      });
      expect(await recordsOf(() => fixture.setUp(appId, 'payment_methods', cashMethod, ...rows))).toEqual({
        audited: [],
        published: [],
      });
    });

    it('are audited only in their app, with an action for their kind', async () => {
      const otherAppId = await fixture.makeApp();
      const { audited } = await recordsOf(() => fixture.addVoucher(appId, 'gift', 100));
      expect(audited).toEqual([{ action: 'vouchers.put', after: { created: 1, changed: 0 } }]);
      expect(await fixture.auditLog.list(otherAppId, {}, PAGE)).toEqual([]);
    });
  });

  describe('the currency of an app', () => {
    const changeCurrency = () => fixture.apps.patch(appId, { currency: 'JPY' });
    const courier = { code: 'courier', name: 'Courier', price: 3.5, vat_rate: 20 };

    it('can change while the app has no amounts', async () => {
      await fixture.addWarehouse(appId, 'W');
      await fixture.addCustomer(appId);
      await fixture.addVoucher(await fixture.makeApp(), 'gift', 100);
      expect(await changeCurrency()).toMatchObject({ currency: 'JPY' });
    });

    eachCase<[string, () => Promise<unknown>]>(it, [
      ['product', () => fixture.addGoods(appId)],
      ['promotion', () => fixture.setUp(appId, 'promotions', { code: 't', name: 'T', kind: 'percentage', value: 10 })],
      ['shipment method', () => fixture.setUp(appId, 'shipment_methods', courier)],
      ['voucher', () => fixture.addVoucher(appId, 'gift', 100)],
    ])('cannot change after the first %s', async (_, addAmount) => {
      await addAmount();
      expect(await changeCurrency()).toEqual({ errors: { currency: ['is invalid'] } });
    });
  });

  describe('warehouses', () => {
    it('are audited when added, changed and deleted', async () => {
      const row = { code: 'W', name: 'W', ...ADDRESS };
      const added = await recordsOf(() => fixture.warehouses.add(appId, { ...row, sellable: true }));
      expect(added).toMatchObject({ audited: [{ action: 'warehouses.put', after: { created: 1 } }], published: [] });
      const { records = {} } = (added.audited[0]?.after ?? {}) as { records?: object };
      const [id = ''] = Object.keys(records);
      const put = (name: string) => recordsOf(() => fixture.warehouses.put(appId, [{ ...row, name }]));
      expect((await put('W')).audited).toEqual([]);
      expect((await put('Store')).audited).toEqual([
        {
          action: 'warehouses.put',
          before: { [id]: { name: 'W' } },
          after: { created: 0, changed: 1, records: { [id]: { name: 'Store' } } },
        },
      ]);
      expect(await recordsOf(() => fixture.deleteWarehouse(appId, 'W'))).toEqual({
        audited: [{ action: 'warehouse.delete', before: { warehouses: [{ id: Number(id), code: 'W' }] } }],
        published: [],
      });
    });
  });

  describe('products and stock', () => {
    it('are audited and published with their changes', async () => {
      const app = { id: appId, currency: CURRENCY, settings: MEDIA };
      const put = (price: number, ...codes: readonly string[]) =>
        fixture.products.upsert(
          app,
          codes.map((code) => ({ code, name: code, price, images: [], variants: [{ code, images: [] }] })),
        );
      const { outcomes } = await put(500, 'A');
      const [outcome] = outcomes;
      if (typeof outcome !== 'object') throw new Error(outcome);
      const [productId, variantId] = [idOf(outcome.product), idOf(outcome.variants[0]?.variant)];
      const { audited, published } = await recordsOf(() => put(600, 'B', 'A'));
      expect(audited).toEqual([
        {
          action: 'prices.change',
          before: { [`products/${productId}`]: { price: 500 } },
          after: { created: 0, changed: 1, records: { [`products/${productId}`]: { price: 600 } } },
        },
      ]);
      expect(published).toEqual([`product.updated ${productId}`, expect.stringMatching(/^product\.created \d+$/)]);
      expect(published[1]).not.toBe(`product.created ${productId}`);
      const warehouseId = await fixture.addWarehouse(appId, 'W');
      const shelf = { product_variant_id: variantId, warehouse_id: warehouseId, qty: 5 };
      expect(await recordsOf(() => fixture.addStock(appId, 'A', { W: 5 }))).toEqual({
        audited: [{ action: 'stock.adjust', after: { reference: null, changed: 1, shelves: [shelf] } }],
        published: [`stock.changed ${variantId}`],
      });
    });
  });

  describe('customers', () => {
    it('are published when they are added, changed or change their consent', async () => {
      let id = 0;
      const added = await recordsOf(async () => ({ id } = await fixture.addCustomer(appId)));
      expect(added).toEqual({ audited: [], published: [`customer.created ${id}`] });
      const request = { channel: 'email', state: 'revoked', source: 'mobile_app' } as const;
      const change = () => fixture.consents.change(appId, id, request);
      expect((await recordsOf(change)).published).toEqual([`consent.changed ${id}`]);
      expect((await recordsOf(change)).published).toEqual([]);
    });

    it('are audited and published when erased, with their sales', async () => {
      const shop = await OrderShop.open(fixture);
      const customer = await fixture.addCustomer(shop.appId);
      const order = await shop.sellOrder({ customer });
      const published = ['customer.updated', 'proforma.updated', 'order.updated'];
      const ids = [customer.id, order.proforma_order_id, order.id];
      expect(await recordsOf(() => fixture.personalData.erase(shop.appId, customer.id), shop.appId)).toEqual({
        audited: [{ action: 'customer.erase', subjectId: customer.id }],
        published: published.map((type, index) => `${type} ${ids[index]}`),
      });
    });
  });

  describe('sessions', () => {
    it('are audited when the app starts one for a customer, and when it ends them', async () => {
      const customer = await fixture.addCustomer(appId);
      const identifiers = { id: customer.id, dataPart: customer.data_part, timePart: customer.time_part };
      let [first, second] = [{ id: 0 }, { id: 0 }];
      expect((await recordsOf(async () => (first = await fixture.startSession(appId)))).audited).toEqual([]);
      const startForCustomer = async () => (second = await fixture.startSession(appId, { customer: identifiers }));
      const started = await recordsOf(startForCustomer);
      expect(started.audited).toEqual([
        { action: 'session.create', subjectId: second.id, after: { customer_id: customer.id } },
      ]);
      const end = (selection: { readonly id: number } | { readonly customerId: number }) =>
        recordsOf(() => fixture.sessionAdministration.end(appId, selection));
      expect((await end({ id: first.id })).audited).toEqual([{ action: 'session.end', subjectId: first.id }]);
      expect((await end({ id: first.id })).audited).toEqual([]);
      expect((await end({ customerId: customer.id })).audited).toEqual([
        { action: 'session.end', before: { customer_id: customer.id, count: 1 } },
      ]);
    });
  });

  describe('proformas', () => {
    it('are audited and published when paid', async () => {
      const shop = await SampleShop.open(fixture);
      const proforma = await shop.proforma();
      const changed = await recordsOf(() => shop.change(proforma, shop.payment(400), shop.payment()), shop.appId);
      expect(changed.audited).toMatchObject(
        [400, 600].map((amount) => ({
          action: 'payment.change',
          subjectId: proforma.id,
          after: { payments: [{ amount, status: 'settled', refund_of_id: null }] },
        })),
      );
      expect(changed.published).toEqual(
        ['payment_received', 'payment_received', 'paid'].map((change) => `proforma.${change} ${proforma.id}`),
      );
    });

    it('are audited when confirmed and converted', async () => {
      const shop = await SampleShop.open(fixture);
      const proforma = await shop.proforma();
      const audited = (
        await recordsOf(() => shop.change(proforma, shop.payment(), confirmation(1), conversion()), shop.appId)
      ).audited;
      const subject = { subjectId: proforma.id };
      expect(audited.filter(({ action }) => action.startsWith('proforma'))).toEqual([
        { action: 'proforma.confirm', ...subject, before: { status: 'paid' }, after: { status: 'confirmed' } },
        { action: 'proforma.convert', ...subject, before: { status: 'confirmed' }, after: { status: 'converted' } },
      ]);
    });

    it('are published when created and canceled, with their stock', async () => {
      const shop = await SampleShop.open(fixture);
      let id = 0;
      const created = await recordsOf(async () => ({ id } = await shop.proforma()), shop.appId);
      expect(created.published.map((event) => event.replace(/ \d+$/, ''))).toEqual(
        expect.arrayContaining(['proforma.created', 'stock.changed']),
      );
      expect(created.published).toContain(`proforma.created ${id}`);
      const proforma = await fixture.proformaOrders.find(shop.appId, id);
      const canceled = await recordsOf(() => shop.change(proforma as never, cancellation), shop.appId);
      expect(canceled.published).toContain(`proforma.canceled ${id}`);
      expect(canceled.published.filter((event) => event.startsWith('stock.changed'))).toHaveLength(1);
      expect(created.audited).toEqual([]);
      expect(canceled.audited).toMatchObject([
        { action: 'proforma.cancel', subjectId: id, after: { status: 'canceled' } },
      ]);
    });
  });

  describe('vouchers', () => {
    it('are published with a new `updated_at` when spent and returned', async () => {
      const shop = await OrderShop.open(fixture);
      const [id = 0] = await fixture.addVoucher(shop.appId, 'gift', 500);
      const updatedAt = async () => (await fixture.setUpQueries.list('vouchers', shop.appId, PAGE))[0]?.['updated_at'];
      const proforma = await fixture.sell(shop.appId, { items: [{ code: 'S', qty: 2 }], vouchers: ['gift'] });
      fixture.clock.forward({ seconds: 60 });
      const convert = conversion();
      const spent = await recordsOf(
        () =>
          fixture.change(shop.appId, proforma.id, (current) => {
            const next = convert(current, fixture.clock.now());
            if (isRefusal(next)) throw new Error(next.refused);
            return { next };
          }),
        shop.appId,
      );
      expect(spent.published.filter((event) => event.startsWith('voucher'))).toEqual([`voucher.used ${id}`]);
      expect(await updatedAt()).toEqual(fixture.clock.now());
      const { orderId } = (await fixture.proformaOrders.find(shop.appId, proforma.id)) ?? {};
      const order = await shop.findOrder(orderId ?? 0);
      fixture.clock.forward({ seconds: 60 });
      const refund = orderChange(order, { status: 'canceled', refund: true });
      const returned = await recordsOf(() => shop.changeAll(refund), shop.appId);
      expect(returned.published.filter((event) => event.startsWith('voucher'))).toEqual([`voucher.updated ${id}`]);
      expect(await updatedAt()).toEqual(fixture.clock.now());
    });
  });

  describe('orders', () => {
    it('are audited and published when imported with payments', async () => {
      const shop = await OrderShop.open(fixture);
      const method = await fixture.methodOf(shop.appId, 'cash');
      let id = 0;
      const payments = [{ methodId: method.id, amount: 500 }];
      const importOrder = async () => ({ id } = await shop.importOrder({ orderNumber: 'N-1', payments }));
      expect(await recordsOf(importOrder, shop.appId)).toEqual({
        audited: [
          {
            action: 'imported_order.create',
            after: { order_number: 'N-1', payments: [{ method: method.name, amount: 500 }] },
          },
        ],
        published: [`order.created ${id}`],
      });
    });

    it('are audited and published with their refunds when canceled', async () => {
      const shop = await OrderShop.open(fixture);
      const order = await shop.sellOrder();
      const change = orderChange(order, { status: 'canceled', refund: true });
      const canceled = await recordsOf(() => shop.changeAll(change), shop.appId);
      expect(canceled.audited).toHaveLength(2);
      expect(canceled.audited).toEqual(
        expect.arrayContaining([
          {
            action: 'order.change',
            subjectId: order.id,
            before: { [order.id]: { order_status: 'open' } },
            after: { changed: 1, records: { [order.id]: { order_status: 'canceled' } } },
          },
          expect.objectContaining({ action: 'refund.change', subjectId: order.proforma_order_id }),
        ]),
      );
      expect(canceled.published).toEqual(
        expect.arrayContaining([
          `order.canceled ${order.id}`,
          `proforma.updated ${order.proforma_order_id}`,
          `stock.changed ${shop.shirt.variantId}`,
        ]),
      );
    });

    it('are neither audited nor published in a dry run', async () => {
      const shop = await OrderShop.open(fixture);
      const order = await shop.importOrder();
      const change = orderChange(order, { status: 'completed' });
      const tryChange = () => shop.change([change], { dryRun: true });
      expect(await recordsOf(tryChange, shop.appId)).toEqual({ audited: [], published: [] });
    });
  });

  describe('cards', () => {
    it('are audited without their barcodes', async () => {
      const customer = await fixture.addCustomer(appId);
      const identifiers = { id: customer.id, dataPart: customer.data_part, timePart: customer.time_part };
      const put = (owner: typeof identifiers | null) => () =>
        fixture.cards.put(appId, { barcode: 'B-1', externalRef: null, customer: owner });
      const [created] = (await recordsOf(put(null))).audited;
      expect(created).toMatchObject({
        action: 'card.put',
        after: { customer_id: null, changed: ['customer_id', 'barcode', 'external_ref'] },
      });
      expect((await recordsOf(put(identifiers))).audited).toEqual([
        {
          action: 'card.put',
          subjectId: created?.subjectId,
          before: { customer_id: null },
          after: { customer_id: customer.id, changed: ['customer_id'] },
        },
      ]);
      expect((await recordsOf(put(identifiers))).audited).toEqual([]);
    });
  });

  describe('a call that changes nothing', () => {
    it('is audited on request', async () => {
      const entry = { action: 'customer.export', subjectId: 7 } as const;
      expect((await recordsOf(() => fixture.auditLog.note(appId, entry))).audited).toEqual([entry]);
    });
  });

  describe('files', () => {
    let library: AppLibrary;
    let file: StoredFile;
    beforeEach(async () => {
      library = await libraryOf(fixture, appId);
      file = await library.addImage('a.jpg');
    });
    const published = async (work: () => Promise<unknown>): Promise<readonly string[]> =>
      (await recordsOf(work)).published;

    it('are published when created, changed, moved, processed and replaced', async () => {
      let second = file;
      expect(await published(async () => (second = await library.addFile('b.txt')))).toEqual([
        `file.created ${second.id}`,
      ]);
      const { mediaFiles, fileMoves, processedFiles, fileVersions } = fixture;
      expect(await published(() => mediaFiles.edit(appId, file.id, { alt: 'A' }))).toEqual([`file.updated ${file.id}`]);
      const folder = 'folder' as FolderPath;
      expect(await published(() => fileMoves.move(appId, [file.id, second.id], folder))).toEqual(
        [file, second].map(({ id }) => `file.moved ${id}`),
      );
      const finish = () => processedFiles.finish(appId, file.id, 1);
      expect(await published(finish)).toEqual([`file.processed ${file.id}`]);
      expect(await published(finish)).toEqual([]);
      const content = await library.upload({ mime: 'image/jpeg', kind: 'image' });
      expect(await recordsOf(() => fileVersions.replace(appId, file.id, content, TERMS))).toEqual({
        audited: [{ action: 'file.replace', subjectId: file.id, after: { version: 2 } }],
        published: [`file.replaced ${file.id}`],
      });
      expect(await published(() => processedFiles.fail(appId, file.id, 2))).toEqual([`file.processed ${file.id}`]);
      expect(await published(() => fileVersions.revert(appId, file.id, 1, TERMS))).toEqual([
        `file.replaced ${file.id}`,
      ]);
    });

    it('are audited and published when deleted, restored and purged', async () => {
      const second = await library.addFile('b.txt');
      const [ids, keys] = [
        [file.id, second.id],
        [file.key, second.key],
      ];
      const count = { count: 2, files: ids.map((id) => ({ id })) };
      expect(await recordsOf(() => fixture.mediaTrash.delete(appId, keys, RULES))).toEqual({
        audited: [{ action: 'file.delete', before: count }],
        published: ids.map((id) => `file.trashed ${id}`),
      });
      expect(await recordsOf(() => fixture.fileMoves.restore(appId, [second.id]))).toEqual({
        audited: [],
        published: [`file.restored ${second.id}`],
      });
      expect(await recordsOf(() => fixture.mediaTrash.purge(appId, ids))).toEqual({
        audited: [{ action: 'file.purge', subjectId: file.id, before: { count: 1, files: [{ id: file.id }] } }],
        published: [`file.purged ${file.id}`],
      });
    });

    it('are audited when a version is purged', async () => {
      await fixture.fileVersions.replace(appId, file.id, await library.upload(), TERMS);
      const purge = () => fixture.fileVersions.purge(appId, file.id, 1);
      expect(await recordsOf(purge)).toEqual({
        audited: [{ action: 'file_version.purge', subjectId: file.id, before: { version: 1 } }],
        published: [],
      });
      expect((await recordsOf(purge)).audited).toEqual([]);
    });

    it('are audited and published when their folder is deleted', async () => {
      const inner = await library.addFile('b.txt', { folder: 'folder/inner' as FolderPath });
      expect(await recordsOf(() => fixture.mediaFolders.remove(appId, 'folder' as FolderPath, RULES))).toEqual({
        audited: [{ action: 'folder.delete', before: { key: 'folder' } }],
        published: [`file.trashed ${inner.id}`],
      });
    });

    it('are published when their folder is moved', async () => {
      const inner = await library.addFile('b.txt', { folder: 'folder/inner' as FolderPath });
      const [, folder] = await fixture.mediaFolderQueries.branch(appId, '' as FolderPath);
      const parent = '' as FolderPath;
      expect(folder?.path).toBe('folder/inner');
      expect(await published(() => fixture.mediaFolders.edit(appId, folder?.id ?? 0, { parent }))).toEqual([
        `file.moved ${inner.id}`,
      ]);
    });
  });

  describe('upload presets', () => {
    it('are audited with the changed fields', async () => {
      const put = (quality: number) => recordsOf(() => fixture.uploadPresets.put(appId, [{ name: 'web', quality }]));
      expect((await put(70)).audited).toMatchObject([
        {
          action: 'upload_presets.put',
          before: {},
          after: { created: 1, changed: 0, records: { web: { quality: 70 } } },
        },
      ]);
      expect((await put(60)).audited).toEqual([
        {
          action: 'upload_presets.put',
          before: { web: { quality: 70 } },
          after: { created: 0, changed: 1, records: { web: { quality: 60 } } },
        },
      ]);
      expect((await put(60)).audited).toEqual([]);
    });
  });

  describe('endpoints of webhooks', () => {
    it('are audited without secrets', async () => {
      const { webhookEndpoints } = fixture;
      const filter = { types: null, subject: null, areas: null };
      const endpoint = { url: 'https://a.example/', description: 'ERP', ...filter, createdBy: 5, secret: SECRET };
      const shown = { url: endpoint.url, description: 'ERP', ...filter, status: 'active' };
      let id = 0;
      const add = async (): Promise<void> => {
        const created = await webhookEndpoints.create(appId, endpoint);
        if (isRefusal(created)) throw new Error(created.refused);
        ({ id } = created);
      };
      const auditOf = async (work: () => Promise<unknown>) => (await recordsOf(work)).audited;
      expect(await auditOf(add)).toEqual([{ action: 'webhook_endpoint.create', subjectId: id, after: shown }]);
      const pause = () => webhookEndpoints.change(appId, id, { status: 'paused' });
      expect(await auditOf(pause)).toEqual([
        {
          action: 'webhook_endpoint.change',
          subjectId: id,
          before: { status: 'active' },
          after: { status: 'paused' },
        },
      ]);
      expect(await auditOf(pause)).toEqual([]);
      const overlapEndsAt = hoursFrom(fixture.clock, 1);
      expect(await auditOf(() => webhookEndpoints.rotateSecret(appId, id, 'whsec_BBBB', overlapEndsAt))).toEqual([
        {
          action: 'webhook_endpoint.rotate_secret',
          subjectId: id,
          after: { overlap_ends_at: overlapEndsAt.toISOString() },
        },
      ]);
      expect(await auditOf(() => fixture.webhookDeliveries.replay(appId, id, { failed: true }))).toEqual([
        { action: 'webhook_endpoint.replay', subjectId: id, after: { failed: true, events: 0 } },
      ]);
      expect(await auditOf(() => webhookEndpoints.remove(appId, id))).toEqual([
        { action: 'webhook_endpoint.remove', subjectId: id, before: { ...shown, status: 'paused' } },
      ]);
    });
  });
}

function hoursFrom(clock: ManualClock, hours: number): Date {
  return new Date(clock.now().getTime() + hours * 3_600_000);
}
