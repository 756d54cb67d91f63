import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { pendingRefunds, type Proforma } from '../index.js';
import { canceling, refunding, retryingRefunds, SampleShop, type GivenProformas } from './given-proformas.js';

const CALL_SECONDS = 30;
const FIRST_PAUSE_SECONDS = 60;
const MANY = 1_000;

/** The adapter may hold refunds of other apps. */
export function refundQueueContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenProformas>,
): void {
  let given: GivenProformas;
  let shop: SampleShop;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    shop = await SampleShop.open(given);
  });

  const due = async (app = shop.appId): Promise<number[]> => {
    const all = await given.refundQueue.due(given.clock.now(), MANY);
    return all.filter(({ appId }) => appId === app).map(({ paymentId }) => paymentId);
  };
  const claim = (paymentId: number, app = shop.appId) => given.refundQueue.claim(app, paymentId, given.clock.now());
  const refundIds = (proforma: Proforma): number[] => pendingRefunds(proforma).map(({ id }) => id);
  const forward = (seconds: number): void => given.clock.forward({ seconds });
  const canceled = async (where = shop): Promise<Proforma> =>
    where.change(await where.proforma(), where.paying(), canceling);
  const refundOf = (proforma: Proforma): number => refundIds(proforma)[0] ?? 0;
  /** Cancels as the sweep does, which leaves refunds to the worker. */
  const swept = async (): Promise<Proforma> => {
    const proforma = await shop.proforma();
    await shop.change(proforma, shop.paying());
    const decide = shop.deciding(canceling);
    const [stored] = await given.proformaOrders.changeUnlocked(shop.appId, [proforma.id], decide);
    return stored!.proforma;
  };

  describe('a refund', () => {
    it('of a call is due after 30 seconds', async () => {
      const ids = refundIds(await canceled());
      forward(CALL_SECONDS - 1);
      expect(await due()).toEqual([]);
      forward(1);
      expect(await due()).toEqual(ids);
    });

    it('of the sweep is due at once', async () => {
      const proforma = await swept();
      expect(await due()).toEqual([refundOf(proforma)]);
      expect(await claim(refundOf(proforma))).toEqual({ proformaId: proforma.id, attempts: 1 });
    });

    it('is not due once settled', async () => {
      const [paid, refused] = [await canceled(), await canceled()];
      await shop.change(paid, refunding('refunded'));
      await shop.change(refused, refunding('failed'));
      forward(CALL_SECONDS);
      expect(await due()).toEqual([]);
      expect(await claim(refundOf(paid))).toBeUndefined();
    });

    it('is due again when retried after a failure', async () => {
      const proforma = await canceled();
      await shop.change(proforma, refunding('failed'));
      forward(1_000);
      await shop.change(proforma, retryingRefunds);
      expect(await due()).toEqual([]);
      forward(CALL_SECONDS);
      expect(await due()).toEqual([refundOf(proforma)]);
      expect(await claim(refundOf(proforma))).toEqual({ proformaId: proforma.id, attempts: 2 });
    });

    it('stays due when its proforma changes otherwise', async () => {
      const proforma = await canceled();
      forward(CALL_SECONDS);
      expect(await claim(refundOf(proforma))).toEqual({ proformaId: proforma.id, attempts: 2 });
      await shop.change(proforma, (found, now) => ({ ...found, updatedAt: now }));
      forward(FIRST_PAUSE_SECONDS);
      expect(await due()).toEqual([refundOf(proforma)]);
      expect(await claim(refundOf(proforma))).toEqual({ proformaId: proforma.id, attempts: 3 });
    });

    it('never exists for incoming payments', async () => {
      await shop.change(await shop.proforma(), shop.startingCard());
      await shop.change(await shop.proforma(), shop.paying());
      forward(1_000);
      expect(await due()).toEqual([]);
    });
  });

  describe('a claim', () => {
    it('counts the attempts and lengthens the pauses', async () => {
      const { id, ...proforma } = await canceled();
      const refundId = refundOf({ id, ...proforma });
      forward(CALL_SECONDS);
      expect(await claim(refundId)).toEqual({ proformaId: id, attempts: 2 });
      forward(FIRST_PAUSE_SECONDS - 1);
      expect(await claim(refundId)).toBeUndefined();
      forward(1);
      expect(await claim(refundId)).toEqual({ proformaId: id, attempts: 3 });
      forward(2 * FIRST_PAUSE_SECONDS - 1);
      expect(await due()).toEqual([]);
      forward(1);
      expect(await due()).toEqual([refundId]);
    });

    it('takes nothing that is not due', async () => {
      const refundId = refundOf(await canceled());
      expect(await claim(refundId)).toBeUndefined();
      forward(CALL_SECONDS);
      expect(await claim(refundId, await given.makeApp())).toBeUndefined();
      expect(await claim(987_654_321_987)).toBeUndefined();
      expect(await due()).toEqual([refundId]);
    });

    eachCase<[string, () => Promise<Proforma>]>(it, [
      ['a call', () => canceled()],
      ['the sweep', () => swept()],
    ])('of a refund of %s succeeds for one of several workers', async (_, decided) => {
      const refundId = refundOf(await decided());
      forward(CALL_SECONDS);
      const claims = await Promise.all(Array.from({ length: 6 }, () => claim(refundId)));
      expect(claims.filter((each) => each !== undefined)).toHaveLength(1);
      expect(await due()).toEqual([]);
      forward(FIRST_PAUSE_SECONDS);
      expect(await due()).toEqual([refundId]);
    });
  });

  describe('due', () => {
    it('returns refunds of all apps, longest due first, up to the limit', async () => {
      const other = await SampleShop.open(given);
      const first = refundOf(await canceled());
      forward(1);
      const second = refundOf(await canceled(other));
      forward(1);
      const third = refundOf(await canceled());
      forward(CALL_SECONDS);
      const all = await given.refundQueue.due(given.clock.now(), MANY);
      const ownRefunds = all.filter(({ appId }) => appId === shop.appId || appId === other.appId);
      expect(ownRefunds).toEqual([
        { appId: shop.appId, paymentId: first },
        { appId: other.appId, paymentId: second },
        { appId: shop.appId, paymentId: third },
      ]);
      expect(await given.refundQueue.due(given.clock.now(), all.length - 1)).toEqual(all.slice(0, -1));
    });
  });
}
