import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { ShirtShop, type ProformaOrdersFixture } from './shirt-shop.js';

const MANY = { perApp: 1_000, overall: 1_000 };

export function proformaDeadlinesContract(
  { describe, it, beforeEach }: Runner,
  openFixture: () => Promise<ProformaOrdersFixture>,
): void {
  describe('deadlines of proformas', () => {
    let fixture: ProformaOrdersFixture;
    let shop: ShirtShop;

    beforeEach(async () => {
      fixture = await openFixture();
      shop = await ShirtShop.open(fixture);
    });

    describe('a deadline', () => {
      const dueAt = async (at: Date): Promise<number[]> => {
        const due = await fixture.orders.due(at, MANY);
        return due.filter(({ appId }) => appId === fixture.appId).map(({ id }) => id);
      };

      it('is due exactly at the end of the lifetime; the longest overdue one is listed first', async () => {
        const [laterProforma, earlierProforma] = [
          await shop.proformaWithLifetime(48),
          await shop.proformaWithLifetime(24),
        ];
        expect(await dueAt(new Date(earlierProforma.expiresAt.getTime() - 1))).toEqual([]);
        expect(await dueAt(earlierProforma.expiresAt)).toEqual([earlierProforma.id]);
        expect(await dueAt(laterProforma.expiresAt)).toEqual([earlierProforma.id, laterProforma.id]);
      });

      it('is due in every app, and is returned with the number of lines of the proforma', async () => {
        const otherShop = await ShirtShop.open(fixture, fixture.otherAppId);
        const [ownProforma, foreignProforma] = [
          await shop.proformaWithLifetime(1),
          await otherShop.proformaWithLifetime(2),
        ];
        expect(await fixture.orders.due(foreignProforma.expiresAt, MANY)).toEqual(
          expect.arrayContaining([
            { appId: fixture.appId, id: ownProforma.id, lines: 1 },
            { appId: fixture.otherAppId, id: foreignProforma.id, lines: 1 },
          ]),
        );
      });

      it('alternates in the list with the deadlines of other apps', async () => {
        const otherShop = await ShirtShop.open(fixture, fixture.otherAppId);
        const [firstProforma, secondProforma] = [
          await shop.proformaWithLifetime(1),
          await shop.proformaWithLifetime(2),
        ];
        const foreignProforma = await otherShop.proformaWithLifetime(3);
        const dueProformas = await fixture.orders.due(foreignProforma.expiresAt, MANY);
        const apps = [fixture.appId, fixture.otherAppId];
        const ownIds = (due: typeof dueProformas): number[] =>
          due.filter(({ appId }) => apps.includes(appId)).map(({ id }) => id);
        expect(ownIds(dueProformas)).toEqual([firstProforma.id, foreignProforma.id, secondProforma.id]);
        expect(ownIds(await fixture.orders.due(foreignProforma.expiresAt, { ...MANY, perApp: 1 }))).toEqual([
          firstProforma.id,
          foreignProforma.id,
        ]);
        const overall = dueProformas.length - 1;
        expect(await fixture.orders.due(foreignProforma.expiresAt, { ...MANY, overall })).toEqual(
          dueProformas.slice(0, overall),
        );
      });

      it('is listed by time among the deadlines that have the same place in their apps', async () => {
        const otherShop = await ShirtShop.open(fixture, fixture.otherAppId);
        const [later, earlier] = [await shop.proformaWithLifetime(3), await otherShop.proformaWithLifetime(1)];
        const [latest, early] = [await otherShop.proformaWithLifetime(4), await shop.proformaWithLifetime(2)];
        const due = await fixture.orders.due(latest.expiresAt, MANY);
        const apps = [fixture.appId, fixture.otherAppId];
        const ids = due.filter(({ appId }) => apps.includes(appId)).map(({ id }) => id);
        expect(ids).toEqual([earlier.id, early.id, later.id, latest.id]);
      });

      it('is not due when the proforma is final or has an alert', async () => {
        const draft = await shop.proforma(1);
        await shop.change(await shop.proforma(1), shop.cancellation());
        await shop.change(await shop.proforma(1), shop.conversion());
        await shop.change(await shop.proforma(1), shop.expiry());
        await shop.change(await shop.proforma(1), shop.payment(0), shop.expiry());
        expect(await dueAt(draft.expiresAt)).toEqual([draft.id]);
      });
    });
  });
}
