import { isRefusal, type Refusal } from '@back-office/kernel';
import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { Cards, Customer, CustomerQueries, NewCustomer, PersonalData, PersonalDataQueries } from '../index.js';

interface SoldItems {
  readonly items: readonly { readonly code: string; readonly qty: number }[];
  readonly customer: Pick<Customer, 'id' | 'data_part' | 'time_part'>;
  readonly comment?: string;
  readonly tags?: readonly string[];
}

export interface PersonalDataFixture {
  readonly personalData: PersonalData;
  readonly personalDataQueries: PersonalDataQueries;
  readonly customerQueries: CustomerQueries;
  readonly cards: Cards;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  addCustomer(appId: number, fields?: Partial<NewCustomer>): Promise<Customer>;
  addGoods(appId: number, goods: { readonly code: string }): Promise<unknown>;
  addWarehouse(appId: number, code: string): Promise<unknown>;
  addStock(appId: number, code: string, onHand: Readonly<Record<string, number>>): Promise<void>;
  startSession(
    appId: number,
    fields: { readonly customer: { readonly id: number; readonly dataPart: number; readonly timePart: number } },
  ): Promise<unknown>;
  /** Sells and pays the items; returns the id of the order. */
  sellOrder(appId: number, sale: SoldItems): Promise<number>;
  /** Creates a proforma that stays open. */
  sell(appId: number, basket: object): Promise<unknown>;
  evaluate(appId: number, basket: object): Promise<unknown>;
  close(): Promise<void>;
}

interface Export extends Readonly<Record<string, unknown>> {
  readonly customer: Customer | null;
  readonly cards: readonly object[];
  readonly sessions: readonly { readonly revoked_at: string | null }[];
  readonly evaluations: readonly object[];
  readonly proforma_orders: readonly Readonly<Record<string, unknown>>[];
  readonly orders: readonly Readonly<Record<string, unknown>>[];
}

const DECIMALS = 2;
const ANA = { first_name: 'Anamarija', last_name: 'Kosovac', phone: '+381601112223', external_ref: 'CRM-1' };
const BLANK_CONTACT = {
  customer_email: null,
  customer_first_name: null,
  customer_last_name: null,
  customer_phone: null,
};

export function personalDataContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<PersonalDataFixture>,
): void {
  let fixture: PersonalDataFixture;
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

  const items = [{ code: 'TEE', qty: 2 }];
  const identifiersOf = ({ id, data_part: dataPart, time_part: timePart }: Customer) => ({ id, dataPart, timePart });
  const exportOf = async (customer: Customer, targetAppId = appId): Promise<Export> => {
    const parts: string[] = [];
    for await (const part of fixture.personalDataQueries.export({ id: targetAppId, decimals: DECIMALS }, customer.id))
      parts.push(part);
    return JSON.parse(parts.join('')) as Export;
  };
  const erase = (customer = ana, targetAppId = appId) => fixture.personalData.erase(targetAppId, customer.id);
  const sellTo = (customer: Customer) =>
    fixture.sellOrder(appId, { items, customer, comment: `For ${customer.first_name}`, tags: ['gift'] });
  const fillRecordsOf = async (customer: Customer): Promise<void> => {
    await sellTo(customer);
    await fixture.evaluate(appId, { items, customer: identifiersOf(customer) });
    await fixture.startSession(appId, { customer: identifiersOf(customer) });
    const card = { barcode: `card of ${customer.id}`, externalRef: `card ref ${customer.id}` };
    const result = await fixture.cards.put(appId, { ...card, customer: identifiersOf(customer) });
    if (isRefusal(result)) throw new Error(result.refused);
  };

  describe('the export of a customer', () => {
    it('has the records of the customer', async () => {
      await fillRecordsOf(ana);
      const contact = {
        customer_email: ana.email,
        customer_first_name: ANA.first_name,
        customer_last_name: ANA.last_name,
        customer_phone: ANA.phone,
      };
      const sale = { ...contact, comment: 'For Anamarija', tags: ['gift'], end_sales: 20, paid: 20 };
      expect(await exportOf(ana)).toMatchObject({
        customer: { id: ana.id, email: ana.email, ...ANA },
        cards: [{ barcode: `card of ${ana.id}`, external_ref: `card ref ${ana.id}` }],
        sessions: [{ device_uuid: 'phone', revoked_at: null }],
        evaluations: [contact, contact],
        proforma_orders: [
          {
            ...sale,
            status: 'converted',
            items: [{ code: 'TEE', qty: 2 }],
            payments: [{ amount: 20, status: 'settled' }],
          },
        ],
        orders: [{ ...sale, items: [{ code: 'TEE', qty: 2 }] }],
      });
    });

    it('has no record of another customer or app', async () => {
      const other = await fixture.addCustomer(appId);
      await fillRecordsOf(other);
      const { customer, ...sections } = await exportOf(ana);
      expect(customer?.id).toBe(ana.id);
      expect(Object.values(sections).flat()).toEqual([]);
      expect((await exportOf(other, await fixture.makeApp())).customer).toBeNull();
    });
  });

  describe('an erased customer', () => {
    it('has blank fields and an invalid e-mail address', async () => {
      const { customer: unerased } = await exportOf(ana);
      fixture.clock.forward({ seconds: 60 });
      expect(await erase()).toBe(true);
      const { customer } = await exportOf(ana);
      expect(customer).toMatchObject({
        id: ana.id,
        email: `erased-${ana.id}@erased.invalid`,
        first_name: '',
        last_name: '',
        phone: null,
        external_ref: null,
        viber_subscribed: false,
        preferred_notification_channel_id: null,
      });
      expect(customer?.updated_at).not.toBe(unerased?.updated_at);
      expect(customer?.inserted_at).toBe(unerased?.inserted_at);
    });

    it('keeps the amounts and numbers of sales, but no contact data or free texts', async () => {
      await fillRecordsOf(ana);
      const unerased = await exportOf(ana);
      await erase();
      const exported = await exportOf(ana);
      const kept = { ...BLANK_CONTACT, comment: null, tags: [], delivery: null, end_sales: 20, paid: 20 };
      expect(exported.proforma_orders).toMatchObject([{ ...kept, number: unerased.proforma_orders[0]?.['number'] }]);
      expect(exported.orders).toMatchObject([{ ...kept, order_number: unerased.orders[0]?.['order_number'] }]);
      expect(exported.evaluations).toMatchObject([BLANK_CONTACT]);
    });

    it('loses cards and active sessions', async () => {
      await fillRecordsOf(ana);
      await erase();
      const { cards, sessions } = await exportOf(ana);
      expect(cards).toEqual([]);
      expect(sessions.filter(({ revoked_at: revokedAt }) => revokedAt === null)).toEqual([]);
    });

    it('does not affect the records of other customers', async () => {
      const other = await fixture.addCustomer(appId, { first_name: 'Mira', last_name: 'Savić' });
      await fillRecordsOf(ana);
      await fillRecordsOf(other);
      const unerased = await exportOf(other);
      await erase();
      expect(await exportOf(other)).toEqual(unerased);
    });

    it('can be erased again, which also blanks data that was written since the first erasure', async () => {
      await erase();
      fixture.clock.forward({ seconds: 60 });
      await sellTo(ana);
      expect(await erase()).toBe(true);
      expect((await exportOf(ana)).orders).toMatchObject([{ ...BLANK_CONTACT, comment: null }]);
    });
  });

  describe('the erasure of a customer', () => {
    const refusalOf = async (result: Promise<true | Refusal | undefined>): Promise<string | undefined> => {
      const outcome = await result;
      return typeof outcome === 'object' ? outcome.refused : undefined;
    };

    it('is refused while a proforma of the customer is open, and then changes nothing', async () => {
      await fixture.sell(appId, { items, customer: identifiersOf(ana) });
      const unerased = await exportOf(ana);
      expect(await refusalOf(erase())).toBe('API.Customers.HasOpenProformas');
      expect(await exportOf(ana)).toEqual(unerased);
    });

    it('is allowed while another customer has an open proforma', async () => {
      await fixture.sell(appId, { items, customer: identifiersOf(await fixture.addCustomer(appId)) });
      expect(await erase()).toBe(true);
    });

    it('returns undefined for a missing customer and for a customer of another app', async () => {
      expect(await erase({ ...ana, id: 987_654_321 })).toBeUndefined();
      expect(await erase(ana, await fixture.makeApp())).toBeUndefined();
      expect((await exportOf(ana)).customer?.email).toBe(ana.email);
    });
  });
}
