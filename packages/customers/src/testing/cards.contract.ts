import type { Refusal } from '@back-office/kernel';
import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { Cards, Customer, DesiredCard, UpsertedCard } from '../index.js';

export interface CardFixture {
  readonly cards: Cards;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  /** Runs `work` twice under one idempotency key; the first run dies after its write. Returns both results. */
  repeatKeyed<Result>(appId: number, work: () => Promise<Result>): Promise<readonly [Result, Result]>;
  addCustomer(appId: number, fields?: { external_ref: string }): Promise<Customer>;
  close(): Promise<void>;
}

const NOT_FOUND = { refused: 'API.Customers.NotFound' };
const TAKEN = { refused: 'has already been taken', field: 'external_ref' };

export function cardsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<CardFixture>,
): void {
  let fixture: CardFixture;
  let appId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
  });

  const tryToPut = (card: Partial<DesiredCard> = {}, targetAppId = appId): Promise<UpsertedCard | Refusal> =>
    fixture.cards.put(targetAppId, { barcode: 'B1', externalRef: null, customer: null, ...card });
  const put = async (card: Partial<DesiredCard> = {}, targetAppId = appId): Promise<UpsertedCard> => {
    const result = await tryToPut(card, targetAppId);
    expect(result).toHaveProperty('card');
    return result as UpsertedCard;
  };
  const identifierOf = ({ id, data_part: dataPart, time_part: timePart }: Customer) => ({ id, dataPart, timePart });

  describe('a card', () => {
    it('gets an id, a data_part and a time_part', async () => {
      const { card, created } = await put();
      const now = fixture.clock.now();
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
      const [firstResult, secondResult] = await fixture.repeatKeyed(appId, () => put());
      expect(firstResult.created).toBe(true);
      expect(secondResult).toEqual(firstResult);
      expect(await put()).toEqual({ card: firstResult.card, created: false });
    });

    it('is found by its barcode, and keeps its id, data_part and time_part', async () => {
      const { card } = await put({ externalRef: 'R1' });
      fixture.clock.forward({ hours: 24 * 60 });
      expect(await put()).toEqual({ card, created: false });
      fixture.clock.forward({ hours: -24 * 60 });
    });

    it('is found by its reference and gets the new barcode', async () => {
      const { card } = await put({ externalRef: 'R1' });
      const changedCard = { ...card, barcode: 'B2' };
      expect(await put({ barcode: 'B2', externalRef: 'R1' })).toEqual({ card: changedCard, created: false });
      expect(await put({ barcode: 'B2' })).toEqual({ card: changedCard, created: false });
      expect(await put()).toMatchObject({ created: true });
    });

    it('keeps its reference and customer when the call omits them', async () => {
      await put();
      const customer = await fixture.addCustomer(appId);
      const { card } = await put({ externalRef: 'R1', customer: identifierOf(customer) });
      expect(card).toMatchObject({ external_ref: 'R1', customer_id: customer.id });
      expect(await put()).toEqual({ card, created: false });
    });

    it('can change its reference and customer', async () => {
      await put({ externalRef: 'R1', customer: identifierOf(await fixture.addCustomer(appId)) });
      const { id } = await fixture.addCustomer(appId, { external_ref: 'crm-2' });
      const { card } = await put({ externalRef: 'R2', customer: { externalRef: 'crm-2' } });
      expect(card).toMatchObject({ external_ref: 'R2', customer_id: id });
    });

    it('cannot take the reference of another card', async () => {
      const { card } = await put({ externalRef: 'R1' });
      await put({ barcode: 'B2', externalRef: 'R2' });
      expect(await tryToPut({ externalRef: 'R2' })).toEqual(TAKEN);
      expect(await put()).toEqual({ card, created: false });
    });

    it('is found only by its exact barcode or exact reference', async () => {
      await put({ externalRef: 'R1' });
      for (const [barcode, externalRef] of [
        ['b1', 'r1'],
        ['R1', 'B1'],
      ] as const) {
        expect(await put({ barcode, externalRef })).toMatchObject({ created: true });
      }
    });

    it('stores trimmed identifiers, by which a repeated call and one without spaces find it', async () => {
      const padded = { barcode: ' B7\t', externalRef: ' R7 ' };
      const { card, created } = await put(padded);
      expect([card, created]).toMatchObject([{ barcode: 'B7', external_ref: 'R7' }, true]);
      for (const repeated of [padded, { barcode: ' B7' }, { barcode: 'B7', externalRef: 'R7' }])
        expect(await put(repeated)).toEqual({ card, created: false });
      expect(await put({ barcode: ' B8 ', externalRef: 'R7 ' })).toMatchObject({
        card: { id: card.id, barcode: 'B8' },
      });
      await put({ barcode: 'B9' });
      expect(await tryToPut({ barcode: ' B9 ', externalRef: 'R7' })).toEqual({ ...TAKEN, field: 'barcode' });
    });

    it('is separate from equal cards of other apps', async () => {
      const { card } = await put({ externalRef: 'R1' });
      const foreignCard = await put({ externalRef: 'R1' }, await fixture.makeApp());
      expect(foreignCard.created).toBe(true);
      expect(foreignCard.card.id).not.toBe(card.id);
    });
  });

  describe('a card of a missing customer', () => {
    it('is refused, whether new or existing', async () => {
      const { card } = await put();
      const customerParts = identifierOf(await fixture.addCustomer(appId, { external_ref: 'crm-1' }));
      const foreignParts = identifierOf(await fixture.addCustomer(await fixture.makeApp()));
      const missingCustomers = [
        { ...customerParts, dataPart: (customerParts.dataPart % 64) + 1 },
        { ...customerParts, timePart: customerParts.timePart + 1 },
        { externalRef: 'CRM-1' },
        foreignParts,
      ];
      for (const customer of missingCustomers) {
        expect(await tryToPut({ externalRef: 'x', customer })).toEqual(NOT_FOUND);
        expect(await tryToPut({ barcode: 'B2', customer })).toEqual(NOT_FOUND);
      }
      expect(await put()).toEqual({ card, created: false });
      expect(await put({ barcode: 'B2' })).toMatchObject({ created: true });
    });
  });

  describe('concurrent calls that write cards', () => {
    const putTen = (cardOf: (index: number) => Partial<DesiredCard>) =>
      Promise.all(Array.from({ length: 10 }, (_, index) => put(cardOf(index))));

    it('create only one card for each barcode or reference', async () => {
      const resultsByBarcode = await putTen(() => ({ externalRef: 'R1' }));
      const resultsByReference = await putTen((index) => ({ barcode: `C${index}`, externalRef: 'R2' }));
      for (const results of [resultsByBarcode, resultsByReference]) {
        expect(new Set(results.map(({ card }) => card.id)).size).toBe(1);
        expect(results.filter(({ created }) => created)).toHaveLength(1);
      }
    });
  });
}
