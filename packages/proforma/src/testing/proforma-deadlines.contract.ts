import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { ShirtShop, type ProformaOrdersSetUp } from './shirt-shop.js';

const MANY = { perApp: 1_000, overall: 1_000 };

/** Tests of `due`. */
export function proformaDeadlinesContract(
  { describe, it, beforeEach }: Runner,
  setUp: () => Promise<ProformaOrdersSetUp>,
): void {
  describe('deadlines', () => {
    let given: ProformaOrdersSetUp;
    let shop: ShirtShop;

    beforeEach(async () => {
      given = await setUp();
      shop = await ShirtShop.open(given);
    });

    describe('a deadline', () => {
      const dueAt = async (at: Date): Promise<number[]> => {
        const due = await given.orders.due(at, MANY);
        return due.filter(({ appId }) => appId === given.appId).map(({ id }) => id);
      };

      it('is due exactly after the lifetime, longest overdue first', async () => {
        const [late, soon] = [await shop.expiring(48), await shop.expiring(24)];
        expect(await dueAt(new Date(soon.expiresAt.getTime() - 1))).toEqual([]);
        expect(await dueAt(soon.expiresAt)).toEqual([soon.id]);
        expect(await dueAt(late.expiresAt)).toEqual([soon.id, late.id]);
      });

      it('is due in all apps, with the number of lines', async () => {
        const other = await ShirtShop.open(given, given.otherAppId);
        const [mine, foreign] = [await shop.expiring(1), await other.expiring(2)];
        expect(await given.orders.due(foreign.expiresAt, MANY)).toEqual(
          expect.arrayContaining([
            { appId: given.appId, id: mine.id, lines: 1 },
            { appId: given.otherAppId, id: foreign.id, lines: 1 },
          ]),
        );
      });

      it('alternates between apps', async () => {
        const other = await ShirtShop.open(given, given.otherAppId);
        const [first, second] = [await shop.expiring(1), await shop.expiring(2)];
        const foreign = await other.expiring(3);
        const all = await given.orders.due(foreign.expiresAt, MANY);
        const apps = [given.appId, given.otherAppId];
        const ownIds = (due: typeof all): number[] =>
          due.filter(({ appId }) => apps.includes(appId)).map(({ id }) => id);
        expect(ownIds(all)).toEqual([first.id, foreign.id, second.id]);
        expect(ownIds(await given.orders.due(foreign.expiresAt, { ...MANY, perApp: 1 }))).toEqual([
          first.id,
          foreign.id,
        ]);
        const overall = all.length - 1;
        expect(await given.orders.due(foreign.expiresAt, { ...MANY, overall })).toEqual(all.slice(0, overall));
      });

      it('is not due when final or alerted', async () => {
        const draft = await shop.proforma(1);
        await shop.change(await shop.proforma(1), shop.canceling());
        await shop.change(await shop.proforma(1), shop.converting());
        await shop.change(await shop.proforma(1), shop.expire());
        await shop.change(await shop.proforma(1), shop.paying(0), shop.expire());
        expect(await dueAt(draft.expiresAt)).toEqual([draft.id]);
      });
    });
  });
}
