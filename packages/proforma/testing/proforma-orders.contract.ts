import { addHours } from '@back-office/kernel';
import { ALREADY_FINAL, insufficientStock, STALE_EVALUATION, WRONG_APP, type Decision } from '../src/index.js';
import { accepted, ShirtShop, type ProformaOrdersSetUp } from './shirt-shop.js';

const SOLD_OUT = insufficientStock('Shirt');
const UNKNOWN = 987_654_321_987;
const MANY = { ofAnApp: 1_000, inAll: 1_000 };

/** What every implementation of `ProformaOrders` keeps to. `setUp` is called before each test. */
export function proformaOrdersContract(setUp: () => Promise<ProformaOrdersSetUp>): void {
  let given: ProformaOrdersSetUp;
  let shop: ShirtShop;

  beforeEach(async () => {
    given = await setUp();
    shop = await ShirtShop.open(given);
  });

  describe('an evaluation', () => {
    it('becomes a proforma that is found as it was made', async () => {
      const proforma = await shop.proforma(2, 3);
      expect(proforma.id).toBeGreaterThan(0);
      expect(new Set(proforma.lines.map((line) => line.id)).size).toBe(2);
      expect(proforma).toMatchObject({ status: 'draft', endSales: 5000, payments: [], orderId: null });
      expect(await shop.found(proforma)).toEqual(proforma);
    });

    it('reserves the stock of its lines', async () => {
      await shop.proforma(2, 3);
      expect(await given.stockOf(given.appId, shop.shirt)).toEqual({ onHand: 10, reserved: 5 });
    });

    it('makes no second proforma', async () => {
      const evaluation = await shop.evaluate(2);
      accepted(await shop.propose(evaluation));
      expect(await shop.propose(evaluation)).toEqual(STALE_EVALUATION);
      expect(await shop.reserved()).toBe(2);
    });

    it('makes one proforma for many calls at once', async () => {
      const evaluation = await shop.evaluate(1);
      const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => shop.propose(evaluation)));
      expect(outcomes.filter((outcome) => 'refused' in outcome)).toEqual(Array(4).fill(STALE_EVALUATION));
      expect(await shop.reserved()).toBe(1);
    });

    it('of another app is known as such, and stays usable in its own', async () => {
      const other = await ShirtShop.open(given, given.otherAppId);
      const evaluation = await other.evaluate(2);
      expect(await shop.propose(evaluation)).toEqual(WRONG_APP);
      expect(await other.reserved()).toBe(0);
      expect(accepted(await other.propose(evaluation)).status).toBe('draft');
    });

    it('that nobody knows is stale', async () => {
      expect(await shop.propose(UNKNOWN)).toEqual(STALE_EVALUATION);
    });

    it('for more than there is takes nothing, and can be tried again', async () => {
      const evaluation = await shop.evaluate(4, 7);
      expect(await shop.propose(evaluation)).toEqual(SOLD_OUT);
      expect(await shop.reserved()).toBe(0);
      expect(await shop.propose(evaluation)).toEqual(SOLD_OUT);
    });

    it('that a rule refuses stays usable', async () => {
      const evaluation = await shop.evaluate(1);
      const refusal = { refused: 'Not today' };
      expect(await given.orders.create(given.appId, evaluation, () => refusal)).toEqual(refusal);
      expect(accepted(await shop.propose(evaluation)).status).toBe('draft');
    });

    it('gets another number when the number is taken in its app', async () => {
      const { number } = await shop.proforma(1);
      const other = await ShirtShop.open(given, given.otherAppId);
      expect(accepted(await other.propose(await other.evaluate(1), { number })).number).toBe(number);

      const numbers = [number, number, 'P-2026-FREE00'];
      const evaluation = await shop.evaluate(1);
      const second = await shop.propose(evaluation, {
        get number() {
          return numbers.shift() ?? 'none';
        },
      });
      expect(accepted(second).number).toBe('P-2026-FREE00');
      expect(await shop.reserved()).toBe(2);
    });
  });

  describe('the last pieces', () => {
    it('go to as many of many calls at once as they suffice for', async () => {
      const evaluations = await Promise.all(Array.from({ length: 8 }, () => shop.evaluate(3)));
      const outcomes = await Promise.all(evaluations.map((evaluation) => shop.propose(evaluation)));
      expect(outcomes.filter((outcome) => 'refused' in outcome)).toEqual(Array(5).fill(SOLD_OUT));
      expect(await shop.reserved()).toBe(9);
    });
  });

  describe('stock', () => {
    it('comes from the warehouse that the evaluation names, and from no other', async () => {
      const coat = await given.variantWithStock(given.appId, { W1: 1, W2: 5 }, { name: 'Coat' });
      const served = (qty: number): Promise<number> =>
        given.makeEvaluation(given.appId, [{ variantId: coat, qty }], 'W1');
      expect(await shop.propose(await served(2))).toEqual(insufficientStock('Coat'));
      expect(accepted(await shop.propose(await served(1))).lines).toMatchObject([{ warehouseCode: 'W1' }]);
    });

    it('of a warehouse that does not sell is not used', async () => {
      const coat = await given.variantWithStock(given.appId, { W8: 1, W9: 5 }, { name: 'Coat', notSellableIn: 'W9' });
      const wanted = (qty: number): Promise<number> => given.makeEvaluation(given.appId, [{ variantId: coat, qty }]);
      expect(await shop.propose(await wanted(2))).toEqual(insufficientStock('Coat'));
      expect(accepted(await shop.propose(await wanted(1))).lines).toMatchObject([{ warehouseCode: 'W8' }]);
    });
  });

  describe('a proforma that the app does not have', () => {
    const never: Decision = () => {
      throw new Error('There is nothing to decide');
    };

    it('is not found and not changed when it does not exist', async () => {
      expect(await given.orders.find(given.appId, UNKNOWN)).toBeUndefined();
      expect(await given.orders.change(given.appId, UNKNOWN, never)).toBeUndefined();
      expect(await given.orders.changeUnlocked(given.appId, [UNKNOWN], never)).toEqual([]);
    });

    it('is not found and not changed when it is of another app', async () => {
      const { id } = await shop.proforma(1);
      expect(await given.orders.find(given.otherAppId, id)).toBeUndefined();
      expect(await given.orders.change(given.otherAppId, id, never)).toBeUndefined();
      expect(await given.orders.changeUnlocked(given.otherAppId, [id], never)).toEqual([]);
    });
  });

  describe('a change', () => {
    it.each<[string, (at: ShirtShop) => readonly Decision[]]>([
      ['of its tags', (at) => [at.tagging('urgent', 'VIP')]],
      ['of a payment', (at) => [at.paying(700)]],
      ['of the payment that covers it', (at) => [at.paying(0)]],
      ['of a confirmation in full', (at) => [at.confirming(2, 3)]],
      ['of a confirmation in part', (at) => [at.paying(0), at.confirming(2, 1)]],
      ['of a confirmation of nothing', (at) => [at.paying(0), at.confirming(0, 0)]],
      ['of a refund that went through', (at) => [at.paying(0), at.confirming(2, 1), at.refunding('refunded')]],
      ['of a refund that failed', (at) => [at.paying(0), at.confirming(2, 1), at.refunding('failed')]],
      ['of a cancellation', (at) => [at.paying(700), at.canceling()]],
      ['of a conversion', (at) => [at.paying(0), at.confirming(2, 1), at.converting()]],
      ['of an expiry', (at) => [at.paying(700), at.expire()]],
      ['of an alert', (at) => [at.paying(0), at.expire()]],
    ])('%s is found as it was stored', async (_, decisions) => {
      const draft = await shop.proforma(2, 3);
      const steps = decisions(shop);
      await shop.change(draft, ...steps.slice(0, -1), (found) => ({ next: found }));
      const before = await shop.found(draft);
      const stored = await shop.change(draft, ...steps.slice(-1));
      expect(stored.refusal).toBeUndefined();
      expect(stored.before).toEqual(before);
      expect(stored.proforma).not.toEqual(before);
      expect(await shop.found(draft)).toEqual(stored.proforma);
    });

    it('of nothing gives back what it found', async () => {
      const stored = await shop.change(await shop.proforma(1), (found) => ({ next: found }));
      expect(stored.proforma).toBe(stored.before);
    });

    it('that is refused stores nothing', async () => {
      const draft = await shop.proforma(2);
      const refusal = { refused: 'Not today' };
      const stored = await shop.change(draft, (found) => ({ next: found, refusal }));
      expect(stored).toEqual({ before: draft, proforma: draft, refusal });
      expect(await shop.found(draft)).toEqual(draft);
    });

    it('that is refused after the deadline was met still stores what the deadline did', async () => {
      const draft = await shop.proforma(2);
      const stored = await shop.change(draft, (found) => ({ ...shop.expire()(found), refusal: ALREADY_FINAL }));
      expect(stored.refusal).toEqual(ALREADY_FINAL);
      expect(stored.proforma.status).toBe('expired');
      expect(await shop.found(draft)).toEqual(stored.proforma);
      expect(await shop.reserved()).toBe(0);
    });

    it('that breaks down on the way stores nothing', async () => {
      const draft = await shop.proforma(2);
      const bug: Decision = () => {
        throw new Error('A bug');
      };
      await expect(shop.change(draft, bug)).rejects.toThrow('A bug');
      expect(await shop.found(draft)).toEqual(draft);
    });

    it('is not lost among many at once', async () => {
      const draft = await shop.proforma(1);
      const tags = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      await Promise.all(tags.map((tag) => shop.change(draft, (found) => shop.tagging(...found.tags, tag)(found))));
      expect([...((await shop.found(draft))?.tags ?? [])].sort()).toEqual(tags);
    });
  });

  describe('reserved stock', () => {
    it('follows the confirmed quantities down and up again', async () => {
      const draft = await shop.proforma(4, 3);
      await shop.change(draft, shop.confirming(1, 0));
      expect(await shop.reserved()).toBe(1);
      await shop.change(draft, shop.confirming(2, 3));
      expect(await shop.reserved()).toBe(5);
    });

    it('is released by a cancellation and by an expiry', async () => {
      const [canceled, expired] = [await shop.proforma(4), await shop.proforma(3)];
      await shop.change(canceled, shop.canceling());
      expect(await shop.reserved()).toBe(3);
      await shop.change(expired, shop.expire());
      expect(await shop.reserved()).toBe(0);
    });

    it('stays reserved for the order', async () => {
      await shop.change(await shop.proforma(4), shop.confirming(3), shop.converting());
      expect(await shop.reserved()).toBe(3);
    });

    it('that somebody else took meanwhile refuses to be raised again, and nothing of the change is stored', async () => {
      const draft = await shop.proforma(6);
      const { proforma: reduced } = await shop.change(draft, shop.paying(0), shop.confirming(2));
      await shop.proforma(7);
      const raised = await shop.change(draft, (found) => {
        const { next } = shop.confirming(4)(found);
        return { next: { ...next, tags: ['raised'] } };
      });
      expect(raised).toEqual({ before: reduced, proforma: reduced, refusal: SOLD_OUT });
      expect(await shop.found(draft)).toEqual(reduced);
      expect(await shop.reserved()).toBe(9);
    });

    it('moves whole to another warehouse that the evaluation allowed when its own has too little', async () => {
      const hat = await given.variantWithStock(given.appId, { W1: 5, W2: 4 }, { name: 'Hat' });
      const made = async (qty: number, warehouseCode?: string) =>
        accepted(await shop.propose(await given.makeEvaluation(given.appId, [{ variantId: hat, qty }], warehouseCode)));
      const [free, bound] = [await made(4), await made(1, 'W1')];
      await shop.change(free, shop.confirming(1));
      await shop.change(bound, shop.confirming(0));
      await made(4, 'W1');
      const moved = await shop.change(free, shop.confirming(3));
      expect(moved.refusal).toBeUndefined();
      expect(moved.proforma.lines).toMatchObject([{ qtyConfirmed: 3, warehouseCode: 'W2' }]);
      expect(await shop.found(free)).toEqual(moved.proforma);
      expect(await shop.reserved(hat)).toBe(4 + 3);
      await made(1, 'W1');
      expect((await shop.change(bound, shop.confirming(1))).refusal).toEqual(insufficientStock('Hat'));
      await shop.change(free, shop.canceling());
      expect(await shop.reserved(hat)).toBe(5);
    });

    it('moves to no warehouse that does not sell', async () => {
      const stock = { W1: 2, W2: 9 };
      const hat = await given.variantWithStock(given.appId, stock, { name: 'Hat', notSellableIn: 'W2' });
      const made = async () =>
        accepted(await shop.propose(await given.makeEvaluation(given.appId, [{ variantId: hat, qty: 2 }])));
      const cut = await made();
      await shop.change(cut, shop.confirming(0));
      await made();
      expect((await shop.change(cut, shop.confirming(2))).refusal).toEqual(insufficientStock('Hat'));
    });

    it('may move from one line to another when all is taken', async () => {
      const draft = await shop.proforma(5, 5);
      await shop.change(draft, shop.confirming(5, 2));
      await shop.proforma(3);
      const moved = await shop.change(draft, shop.confirming(2, 5));
      expect(moved.refusal).toBeUndefined();
      expect(moved.proforma.lines.map((line) => line.qtyConfirmed)).toEqual([2, 5]);
      expect(await shop.reserved()).toBe(10);
    });
  });

  describe('new payments', () => {
    it('get ids in their order and keep them', async () => {
      const draft = await shop.proforma(5);
      const twice = await shop.change(draft, (found) => shop.paying(200)(shop.paying(100)(found).next));
      const [first = 0, second = 0] = twice.proforma.payments.map((payment) => payment.id);
      expect(first).toBeGreaterThan(0);
      expect(second).toBeGreaterThan(first);
      const { proforma } = await shop.change(draft, shop.paying(300), shop.canceling(), shop.refunding('refunded'));
      const ids = proforma.payments.map((payment) => payment.id);
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
      expect(proforma.payments).toMatchObject([
        { id: first, amount: 100, status: 'settled' },
        { id: second, amount: 200, status: 'settled' },
        { amount: 300, status: 'settled' },
        { amount: -300, status: 'refunded', refundOf: ids[2] },
        { amount: -200, status: 'refunded', refundOf: second },
        { amount: -100, status: 'refunded', refundOf: first },
      ]);
    });

    it('are each the own ones of their proforma when several change at once', async () => {
      const drafts = [await shop.proforma(1), await shop.proforma(1), await shop.proforma(1)];
      const ids = drafts.map((draft) => draft.id);
      const stored = await given.orders.changeUnlocked(given.appId, ids, (found) => shop.paying(found.id)(found));
      expect(stored).toHaveLength(3);
      expect(new Set(stored.flatMap(({ proforma }) => proforma.payments.map((payment) => payment.id))).size).toBe(3);
      for (const { proforma } of stored) {
        expect(proforma.payments).toMatchObject([{ amount: proforma.id }]);
        expect(await shop.found(proforma)).toEqual(proforma);
      }
    });
  });

  describe('a converted proforma', () => {
    it('has an order, for good', async () => {
      const { proforma } = await shop.change(await shop.proforma(1), shop.paying(0), shop.converting());
      expect(proforma.orderId).toBeGreaterThan(0);
      const alerted = await shop.change(proforma, (found) => ({
        next: { ...found, updatedAt: addHours(given.now(), 1) },
      }));
      expect(alerted.proforma.orderId).toBe(proforma.orderId);
    });

    it('goes on showing the payments of its conversion', async () => {
      const draft = await shop.proforma(2);
      const { proforma } = await shop.change(draft, shop.paying(0), shop.confirming(1), shop.converting());
      const settled = await shop.change(draft, shop.refunding('refunded'));
      expect(settled.proforma.payments).toMatchObject([{ amount: 2000 }, { amount: -1000, status: 'refunded' }]);
      expect(settled.proforma.converted).toEqual(proforma.converted);
      expect(proforma.converted?.payments).toMatchObject([{ amount: 2000 }, { amount: -1000, status: 'pending' }]);
      expect(await shop.found(draft)).toEqual(settled.proforma);
    });
  });

  describe('several proformas to be changed', () => {
    it('are left out when they are unknown, of another app, or being changed by somebody else', async () => {
      const [free, busy] = [await shop.proforma(1), await shop.proforma(2)];
      const foreign = await (await ShirtShop.open(given, given.otherAppId)).proforma(1);
      const stored = await given.whileLocked(given.appId, busy.id, () =>
        given.orders.changeUnlocked(given.appId, [busy.id, UNKNOWN, foreign.id, free.id], shop.expire()),
      );
      expect(stored.map(({ proforma }) => [proforma.id, proforma.status])).toEqual([[free.id, 'expired']]);
      expect(await shop.found(busy)).toEqual(busy);
      expect(await shop.reserved()).toBe(2);
    });

    it('share what stock there is', async () => {
      const drafts = [await shop.proforma(4), await shop.proforma(4)];
      for (const draft of drafts) await shop.change(draft, shop.confirming(1));
      await shop.proforma(4);
      const ids = drafts.map((draft) => draft.id);
      const stored = await given.orders.changeUnlocked(given.appId, ids, shop.confirming(4));
      expect(stored.map(({ refusal }) => refusal)).toEqual(expect.arrayContaining([undefined, SOLD_OUT]));
      expect(await shop.reserved()).toBe(9);
    });
  });

  describe('a deadline', () => {
    const dueAt = async (at: Date): Promise<number[]> => {
      const due = await given.orders.due(at, MANY);
      return due.filter(({ appId }) => appId === given.appId).map(({ id }) => id);
    };

    it('comes exactly when the lifetime is over, the longest overdue first', async () => {
      const [late, soon] = [await shop.expiring(48), await shop.expiring(24)];
      expect(await dueAt(new Date(soon.expiresAt.getTime() - 1))).toEqual([]);
      expect(await dueAt(soon.expiresAt)).toEqual([soon.id]);
      expect(await dueAt(late.expiresAt)).toEqual([soon.id, late.id]);
    });

    it('is looked at in all apps, and says how many lines will change', async () => {
      const other = await ShirtShop.open(given, given.otherAppId);
      const [mine, theirs] = [await shop.expiring(1), await other.expiring(2)];
      expect(await given.orders.due(theirs.expiresAt, MANY)).toEqual(
        expect.arrayContaining([
          { appId: given.appId, id: mine.id, lines: 1 },
          { appId: given.otherAppId, id: theirs.id, lines: 1 },
        ]),
      );
    });

    it('comes for every app in its turn, however many another one has that are longer overdue', async () => {
      const other = await ShirtShop.open(given, given.otherAppId);
      const [first, second] = [await shop.expiring(1), await shop.expiring(2)];
      const theirs = await other.expiring(3);
      const all = await given.orders.due(theirs.expiresAt, MANY);
      const apps = [given.appId, given.otherAppId];
      const ours = (due: typeof all): number[] => due.filter(({ appId }) => apps.includes(appId)).map(({ id }) => id);
      expect(ours(all)).toEqual([first.id, theirs.id, second.id]);
      expect(ours(await given.orders.due(theirs.expiresAt, { ...MANY, ofAnApp: 1 }))).toEqual([first.id, theirs.id]);
      const inAll = all.length - 1;
      expect(await given.orders.due(theirs.expiresAt, { ...MANY, inAll })).toEqual(all.slice(0, inAll));
    });

    it('no longer comes for what is finished or was alerted', async () => {
      const draft = await shop.proforma(1);
      await shop.change(await shop.proforma(1), shop.canceling());
      await shop.change(await shop.proforma(1), shop.converting());
      await shop.change(await shop.proforma(1), shop.expire());
      await shop.change(await shop.proforma(1), shop.paying(0), shop.expire());
      expect(await dueAt(draft.expiresAt)).toEqual([draft.id]);
    });
  });
}
