import type { Refusal } from '@back-office/kernel';
import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { Cards, Customer, DesiredCard, UpsertedCard } from '../index.js';

export interface GivenCards {
  readonly cards: Cards;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  /**
   * Runs the work under an idempotency key, dies after its write, and runs it again under the same key. Returns both
   * results.
   */
  repeatKeyed<Result>(appId: number, work: () => Promise<Result>): Promise<readonly [Result, Result]>;
  addCustomer(appId: number, fields?: { external_ref: string }): Promise<Customer>;
  close(): Promise<void>;
}

const NOT_FOUND = { refused: 'API.Customers.NotFound' };
const TAKEN = { refused: 'has already been taken', field: 'external_ref' };

/** The adapter may hold cards of other apps. */
export function cardsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenCards>,
): void {
  let given: GivenCards;
  let appId: number;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    appId = await given.makeApp();
  });

  const tryToPut = (card: Partial<DesiredCard> = {}, app = appId): Promise<UpsertedCard | Refusal> =>
    given.cards.put(app, { barcode: 'B1', externalRef: null, customer: null, ...card });
  const put = async (card: Partial<DesiredCard> = {}, app = appId): Promise<UpsertedCard> => {
    const written = await tryToPut(card, app);
    expect(written).toHaveProperty('card');
    return written as UpsertedCard;
  };
  const nameOf = ({ id, data_part: dataPart, time_part: timePart }: Customer) => ({ id, dataPart, timePart });

  describe('a card', () => {
    it('is added with its own parts', async () => {
      const { card, created } = await put();
      const now = given.clock.now();
      expect([card, created]).toEqual([
        {
          id: expect.any(Number),
          data_part: expect.any(Number),
          time_part: (now.getUTCFullYear() - 2020) * 12 + now.getUTCMonth(),
          barcode: 'B1',
          external_ref: null,
          customer_id: null,
        },
        true,
      ]);
    });

    it('is added once by a repeated keyed call', async () => {
      const [first, again] = await given.repeatKeyed(appId, () => put());
      expect(first.created).toBe(true);
      expect(again).toEqual(first);
      expect(await put()).toEqual({ card: first.card, created: false });
    });

    it('is found by its barcode and keeps its id and parts', async () => {
      const { card } = await put({ externalRef: 'R1' });
      given.clock.forward({ hours: 24 * 60 });
      expect(await put()).toEqual({ card, created: false });
      given.clock.forward({ hours: -24 * 60 });
    });

    it('is found by its reference and gets the new barcode', async () => {
      const { card } = await put({ externalRef: 'R1' });
      const changed = { ...card, barcode: 'B2' };
      expect(await put({ barcode: 'B2', externalRef: 'R1' })).toEqual({ card: changed, created: false });
      expect(await put({ barcode: 'B2' })).toEqual({ card: changed, created: false });
      expect(await put()).toMatchObject({ created: true });
    });

    it('keeps reference and customer when not sent', async () => {
      await put();
      const customer = await given.addCustomer(appId);
      const { card } = await put({ externalRef: 'R1', customer: nameOf(customer) });
      expect(card).toMatchObject({ external_ref: 'R1', customer_id: customer.id });
      expect(await put()).toEqual({ card, created: false });
    });

    it('can change its reference and customer', async () => {
      await put({ externalRef: 'R1', customer: nameOf(await given.addCustomer(appId)) });
      const { id } = await given.addCustomer(appId, { external_ref: 'crm-2' });
      const { card } = await put({ externalRef: 'R2', customer: { externalRef: 'crm-2' } });
      expect(card).toMatchObject({ external_ref: 'R2', customer_id: id });
    });

    it('cannot take the reference of another card', async () => {
      const { card } = await put({ externalRef: 'R1' });
      await put({ barcode: 'B2', externalRef: 'R2' });
      expect(await tryToPut({ externalRef: 'R2' })).toEqual(TAKEN);
      expect(await put()).toEqual({ card, created: false });
    });

    it('matches exactly', async () => {
      await put({ externalRef: 'R1' });
      for (const [barcode, externalRef] of [
        ['b1', 'r1'],
        [' B1', 'R1 '],
        ['R1', 'B1'],
      ] as const) {
        expect(await put({ barcode, externalRef })).toMatchObject({ created: true });
      }
    });

    it('is separate from equal cards of other apps', async () => {
      const { card } = await put({ externalRef: 'R1' });
      const foreign = await put({ externalRef: 'R1' }, await given.makeApp());
      expect(foreign.created).toBe(true);
      expect(foreign.card.id).not.toBe(card.id);
    });
  });

  describe('a missing customer', () => {
    it('refuses new and known cards', async () => {
      const { card } = await put();
      const name = nameOf(await given.addCustomer(appId, { external_ref: 'crm-1' }));
      const foreign = nameOf(await given.addCustomer(await given.makeApp()));
      const wrong = [
        { ...name, dataPart: (name.dataPart % 64) + 1 },
        { ...name, timePart: name.timePart + 1 },
        { externalRef: 'CRM-1' },
        foreign,
      ];
      for (const customer of wrong) {
        expect(await tryToPut({ externalRef: 'x', customer })).toEqual(NOT_FOUND);
        expect(await tryToPut({ barcode: 'B2', customer })).toEqual(NOT_FOUND);
      }
      expect(await put()).toEqual({ card, created: false });
      expect(await put({ barcode: 'B2' })).toMatchObject({ created: true });
    });
  });

  describe('concurrent calls', () => {
    const ten = (cardOf: (index: number) => Partial<DesiredCard>) =>
      Promise.all(Array.from({ length: 10 }, (_, index) => put(cardOf(index))));

    it('make one card per barcode or reference', async () => {
      const byBarcode = await ten(() => ({ externalRef: 'R1' }));
      const byReference = await ten((index) => ({ barcode: `C${index}`, externalRef: 'R2' }));
      for (const written of [byBarcode, byReference]) {
        expect(new Set(written.map(({ card }) => card.id)).size).toBe(1);
        expect(written.filter(({ created }) => created)).toHaveLength(1);
      }
    });
  });
}
