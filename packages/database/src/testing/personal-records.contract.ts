import { formatDateTime } from '@back-office/kernel';
import type { Runner } from '@back-office/kernel/testing';
import type { Customer } from '@back-office/customers';
import { receiveCardResult, type Proforma } from '@back-office/proforma';
import { cancellation, conversion, SampleShop, type TimedDecision } from '@back-office/proforma/testing';
import { anImport } from '@back-office/orders/testing';
import { expect } from 'expect';
import { CURRENCY, idOf, MEDIA } from './fixture-values.js';
import type { RecordedChangesFixture } from './recorded-changes.contract.js';

const DECIMALS = 2;
const ANA = { first_name: 'Anamarija', last_name: 'Kosovac', phone: '+381601112223', external_ref: 'CRM-1' };
const DELIVERY = { address_line_1: 'Bulevar 1', city: 'Novi Sad', postcode: '21000', country: 'RS' };
const SALE = { comment: 'For Anamarija', tags: ['gift'] };
const LINE = { code: 'TEE', name: 'TEE', qty: 2, price: 10, sales: 20, discount: 0 };
const PHONE = { uuid: 'phone', type: 'mobile', vendor: 'Nokia', mobileInfo: 'N95' };

type Sections = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** Tests export and erasure for a customer who has records in every port. */
export function personalRecordsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<RecordedChangesFixture>,
): void {
  let fixture: RecordedChangesFixture;
  let appId: number;
  let ana: Customer;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
    ana = await fixture.addCustomer(appId, ANA);
    await fixture.addGoods(appId, { code: 'TEE' });
    await fixture.addWarehouse(appId, 'W');
    await fixture.addStock(appId, 'TEE', { W: 100 });
  });

  const identifiersOf = (customer: Customer) => ({
    id: customer.id,
    dataPart: customer.data_part,
    timePart: customer.time_part,
  });
  const exportOf = async (customer: Customer): Promise<Sections> => {
    const parts: string[] = [];
    for await (const part of fixture.personalDataQueries.export({ id: appId, decimals: DECIMALS }, customer.id))
      parts.push(part);
    return JSON.parse(parts.join('')) as Sections;
  };
  const time = (): string => formatDateTime(fixture.clock.now());
  const addRecordsOfAnother = async (): Promise<void> => {
    const mira = await fixture.addCustomer(appId, { first_name: 'Mira', last_name: 'Savić' });
    const customer = identifiersOf(mira);
    await fixture.cards.put(appId, { barcode: '555', externalRef: 'card-2', customer });
    await fixture.setUp(appId, 'vouchers', { code: 'other', amount: 5, customer_id: mira.id });
    await fixture.consents.change(appId, mira.id, { channel: 'email', state: 'revoked', source: 'mobile_app' });
    const session = await fixture.startSession(appId, { customer, device: { ...PHONE, uuid: 'tablet' } });
    await fixture.devices.register(appId, session.id, { messagingToken: 'other', ...PHONE });
    await fixture.addLocation(appId, 'O');
    await fixture.attendances.add(appId, mira.id, { latitude: 45, longitude: 20 });
    await fixture.sellOrder(appId, { items: [{ code: 'TEE', qty: 1 }], customer: mira, amountPerPoint: 100 });
  };

  describe('the export of a customer', () => {
    beforeEach(addRecordsOfAnother);

    it('has no record of another customer', async () => {
      const { customer, ...sections } = await exportOf(ana);
      expect(Object.keys(sections)).toHaveLength(10);
      expect(Object.values(sections).flat()).toEqual([]);
      expect(customer).toMatchObject({ id: ana.id });
    });

    it('has the fields of cards, vouchers, points and consent', async () => {
      const now = time();
      const card = { barcode: '977', externalRef: 'card-1', customer: identifiersOf(ana) };
      await fixture.cards.put(appId, card);
      const validity = { valid_from: '2026-01-01', valid_until: '2030-01-01' };
      await fixture.setUp(appId, 'vouchers', { code: 'gift', amount: 25, customer_id: ana.id, ...validity });
      await fixture.setUp(appId, 'vouchers', { code: 'unowned', amount: 5 });
      const orderId = await fixture.sellOrder(appId, {
        items: [{ code: 'TEE', qty: 2 }],
        customer: ana,
        amountPerPoint: 300,
      });
      await fixture.consents.change(appId, ana.id, { channel: 'email', state: 'revoked', source: 'mobile_app' });
      expect(await exportOf(ana)).toMatchObject({
        cards: [{ id: expect.any(Number), barcode: '977', external_ref: 'card-1' }],
        vouchers: [
          {
            id: expect.any(Number),
            code: 'gift',
            active: true,
            amount: 25,
            spent: 0,
            valid_from: '2026-01-01T00:00:00',
            valid_until: '2030-01-01T23:59:59',
            inserted_at: now,
          },
        ],
        loyalty_bookings: [{ order_id: orderId, points: 6, inserted_at: now, taken_back_at: null }],
        consent_changes: [
          { channel: 'email', from_state: 'granted', to_state: 'revoked', source: 'mobile_app', changed_at: now },
        ],
      });
    });

    it('has the fields of devices, sessions and visits', async () => {
      const registeredAt = time();
      const session = await fixture.startSession(appId, {
        customer: identifiersOf(ana),
        device: PHONE,
        language: 'sr',
      });
      const details = { type: null, vendor: null, mobileInfo: null };
      const device = await fixture.devices.register(appId, session.id, { messagingToken: 'secret', ...details });
      fixture.clock.forward({ seconds: 60 });
      await fixture.devices.register(appId, session.id, { messagingToken: 'secret', ...details });
      const row = { code: 'L', name: 'L', latitude: 46, longitude: 21 };
      const { locations } = await fixture.locations.put({ id: appId, settings: MEDIA }, [row]);
      const [location] = locations;
      const locationId = idOf(typeof location === 'object' ? location : undefined);
      const visit = await fixture.attendances.add(appId, ana.id, { latitude: 46, longitude: 21, accuracy: 7 });
      const hardware = { device_type: 'mobile', device_vendor: 'Nokia', mobile_info: 'N95' };
      const exported = await exportOf(ana);
      expect([exported['devices'], exported['sessions'], exported['visits']]).toEqual([
        [
          {
            id: device?.id,
            uuid: 'phone',
            notification_channel_id: device?.notification_channel_id,
            ...hardware,
            inserted_at: registeredAt,
            updated_at: time(),
          },
        ],
        [
          {
            id: session.id,
            language: 'sr',
            device_uuid: 'phone',
            ...hardware,
            inserted_at: registeredAt,
            expires_at: expect.any(String),
            revoked_at: null,
          },
        ],
        [
          {
            id: 'id' in visit && visit.id,
            app_location_id: locationId,
            latitude: 46,
            longitude: 21,
            accuracy: 7,
            distance_m: 0,
            inserted_at: time(),
          },
        ],
      ]);
    });

    it('has the fields of evaluations, proformas and orders', async () => {
      const now = time();
      const orderId = await fixture.sellOrder(appId, { items: [{ code: 'TEE', qty: 2 }], customer: ana, ...SALE });
      const order = await fixture.orderQueries.find(appId, orderId);
      const { evaluations, proforma_orders: proformas, orders } = await exportOf(ana);
      const contact = {
        customer_email: ana.email,
        customer_first_name: ANA.first_name,
        customer_last_name: ANA.last_name,
        customer_phone: ANA.phone,
      };
      const terms = { currency: CURRENCY, delivery: DELIVERY, ...SALE, end_sales: 20, inserted_at: now };
      const method = (await fixture.methodOf(appId, 'bank_transfer')).name;
      const payments = [
        { amount: 20, method, status: 'settled', reference: null, external_ref: null, payer: null, paid_at: now },
      ];
      expect(evaluations).toEqual([{ id: expect.any(Number), ...contact, ...terms }]);
      expect(proformas).toEqual([
        {
          id: order?.proforma_order_id,
          number: order?.proforma_number,
          ...contact,
          ...terms,
          cancel_reason: null,
          status: 'converted',
          paid: 20,
          items: [LINE],
          payments,
        },
      ]);
      expect(orders).toEqual([
        {
          id: orderId,
          order_number: order?.order_number,
          invoice_number: null,
          external_ref: null,
          proforma_number: order?.proforma_number,
          ...contact,
          ...terms,
          order_status: 'open',
          payment_status: 'paid',
          delivery_status: 'pending',
          tracking: [],
          paid: 20,
          order_date: now,
          items: [LINE],
          payments: [],
        },
      ]);
    });

    it('has the payments of imported orders', async () => {
      const method = await fixture.methodOf(appId, 'cash');
      const imported = anImport({
        customer: identifiersOf(ana),
        items: [{ code: 'TEE', qty: 2, price: null }],
        payments: [{ methodId: method.id, amount: 500 }],
        orderDate: new Date('2020-02-03T04:05:06Z'),
      });
      await fixture.importedOrders.add(appId, imported);
      expect((await exportOf(ana))['orders']).toMatchObject([
        {
          external_ref: imported.externalRef,
          order_date: '2020-02-03T04:05:06',
          paid: 5,
          payments: [
            {
              amount: 5,
              method: method.name,
              status: 'settled',
              reference: null,
              external_ref: null,
              payer: null,
              paid_at: time(),
            },
          ],
        },
      ]);
    });
  });
  describe('the erasure of a customer', () => {
    const answer = (text: string) => ({ status: 200, headers: {}, text: new TextEncoder().encode(text) });
    const settle =
      (reference: string): TimedDecision =>
      (proforma, now) => {
        const payment = proforma.payments.find(({ status }) => status === 'pending');
        return receiveCardResult(proforma, { paymentId: payment?.id ?? 0, status: 'settled', reference, now });
      };
    const importFor = async (externalRef: string) => {
      const customer = { id: ana.id, dataPart: ana.data_part, timePart: ana.time_part };
      const items = [{ code: 'TEE', qty: 1, price: null }];
      await fixture.importedOrders.add(appId, anImport({ externalRef, customer, items }));
    };
    const orderReferences = async () => (await exportOf(ana))['orders']?.map((order) => order['external_ref']);

    it('removes devices, visits, sessions and unused evaluations', async () => {
      const session = await fixture.startSession(appId, { customer: identifiersOf(ana) });
      await fixture.devices.register(appId, session.id, { messagingToken: 'token', ...PHONE });
      await fixture.addLocation(appId, 'L');
      await fixture.attendances.add(appId, ana.id, { latitude: 45, longitude: 20 });
      await fixture.evaluate(appId, { items: [{ code: 'TEE', qty: 2 }], customer: identifiersOf(ana) });
      await fixture.personalData.erase(appId, ana.id);
      const { devices, visits, sessions, evaluations } = await exportOf(ana);
      expect([devices, visits, sessions, evaluations]).toEqual([[], [], [], []]);
    });

    it('blanks payment references that contain a name of the customer, and keeps the others', async () => {
      const shop = await SampleShop.open(fixture);
      appId = shop.appId;
      ana = await fixture.addCustomer(appId, { ...ANA });
      const customer = identifiersOf(ana);
      const proforma = await shop.proforma({ customer });
      await shop.change(proforma, shop.cardPayment(400), settle('tx KOSOVAC'), shop.cardPayment(), settle('tx-9'));
      await shop.change(proforma, conversion());
      const canceled = await shop.proforma({ customer });
      await shop.change(canceled, cancellation);
      fixture.clock.forward({ seconds: 60 });
      expect(await fixture.personalData.erase(appId, ana.id)).toBe(true);
      const [erased, erasedCanceled] = [await shop.find(proforma), await shop.find(canceled)];
      const references = (payments: Proforma['payments'] = []) => payments.map(({ reference }) => reference);
      expect([references(erased.payments), references(erased.converted?.payments)]).toEqual([
        [null, 'tx-9'],
        [null, 'tx-9'],
      ]);
      expect([erasedCanceled.cancelReason, erasedCanceled.updatedAt]).toEqual([null, fixture.clock.now()]);
    });

    it('blanks alert references that contain a name of the customer, and keeps the others', async () => {
      const shop = await SampleShop.open(fixture);
      appId = shop.appId;
      ana = await fixture.addCustomer(appId, { ...ANA });
      const alertFor = async (reference: string): Promise<Proforma> => {
        const proforma = await shop.proforma({ customer: identifiersOf(ana) });
        const { orderId } = await shop.change(proforma, shop.cardPayment(), conversion());
        await fixture.changeOrder(appId, orderId as number, { status: 'canceled' });
        return shop.change(proforma, settle(reference));
      };
      const [named, other] = [await alertFor('tx KOSOVAC'), await alertFor('tx-9')];
      expect(named.alerts).toMatchObject([{ details: { reference: 'tx KOSOVAC' } }]);
      await fixture.personalData.erase(appId, ana.id);
      expect((await shop.find(named)).alerts).toEqual(
        named.alerts.map((alert) => ({ ...alert, details: { ...alert.details, reference: null } })),
      );
      expect((await shop.find(other)).alerts).toEqual(other.alerts);
    });

    it('blanks all references of orders written after an earlier erasure of the customer', async () => {
      for (const reference of ['ext-1', 'for ANAMARIJA']) await importFor(reference);
      fixture.clock.forward({ seconds: 60 });
      await fixture.personalData.erase(appId, ana.id);
      expect((await orderReferences())?.toSorted()).toEqual(['ext-1', null]);
      fixture.clock.forward({ seconds: 60 });
      await importFor('ext-2');
      await fixture.personalData.erase(appId, ana.id);
      expect((await orderReferences())?.toSorted()).toEqual(['ext-1', null, null]);
    });

    it('blanks all references of orders written at the time of an earlier erasure of the customer', async () => {
      await importFor('ext-1');
      await fixture.personalData.erase(appId, ana.id);
      expect(await orderReferences()).toEqual(['ext-1']);
      await fixture.personalData.erase(appId, ana.id);
      expect(await orderReferences()).toEqual([null]);
    });

    it('replaces stored answers of keyed calls that contain data of the customer', async () => {
      const texts = [
        JSON.stringify({ email: ana.email }),
        JSON.stringify({ phone: ANA.phone }),
        `{"customer_id":${ana.id}}`,
        `{"customer_id":${ana.id},"a":1}`,
        `{"customer_id":${ana.id}1}`,
        '{"email":"other@example.com"}',
      ];
      const callOf = (text: string) => ({
        appId,
        tokenId: 1,
        key: text,
        fingerprint: new Uint8Array(32),
      });
      for (const text of texts) {
        const run = await fixture.keyedCalls.begin(callOf(text));
        if (typeof run === 'string' || !('keyedWrite' in run)) throw new Error('The call did not begin');
        await fixture.keyedCalls.storeAnswer(run, answer(text));
      }
      await fixture.personalData.erase(appId, ana.id);
      const statuses: unknown[] = [];
      for (const text of texts) {
        const stored = await fixture.keyedCalls.begin(callOf(text));
        statuses.push(typeof stored !== 'string' && 'status' in stored && stored.status);
      }
      expect(statuses).toEqual([410, 410, 410, 410, 200, 200]);
    });
  });
}
