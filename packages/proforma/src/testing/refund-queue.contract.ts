import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { pendingRefunds, type Proforma } from '../index.js';
import { cancellation, refundOutcomes, refundRetries, SampleShop, type ProformaFixture } from './given-proformas.js';

const CALL_SECONDS = 30;
const FIRST_PAUSE_SECONDS = 60;
const MANY = 1_000;

export function refundQueueContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<ProformaFixture>,
): void {
  let fixture: ProformaFixture;
  let shop: SampleShop;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    shop = await SampleShop.open(fixture);
  });

  const dueIds = async (app = shop.appId): Promise<number[]> => {
    const dueRefunds = await fixture.refundQueue.due(fixture.clock.now(), MANY);
    return dueRefunds.filter(({ appId }) => appId === app).map(({ paymentId }) => paymentId);
  };
  const claim = (paymentId: number, app = shop.appId) => fixture.refundQueue.claim(app, paymentId, fixture.clock.now());
  const refundIds = (proforma: Proforma): number[] => pendingRefunds(proforma).map(({ id }) => id);
  const forward = (seconds: number): void => fixture.clock.forward({ seconds });
  const cancelPaidProforma = async (targetShop = shop): Promise<Proforma> =>
    targetShop.change(await targetShop.proforma(), targetShop.payment(), cancellation);
  const firstRefundId = (proforma: Proforma): number => refundIds(proforma)[0] ?? 0;
  const cancelInSweep = async (): Promise<Proforma> => {
    const proforma = await shop.proforma();
    await shop.change(proforma, shop.payment());
    const decide = shop.decisionOf(cancellation);
    const [storedChange] = await fixture.proformaOrders.changeUnlocked(shop.appId, [proforma.id], decide);
    return storedChange!.proforma;
  };

  describe('a refund in the queue', () => {
    it('is due after 30 seconds when a call requests it', async () => {
      const ids = refundIds(await cancelPaidProforma());
      forward(CALL_SECONDS - 1);
      expect(await dueIds()).toEqual([]);
      forward(1);
      expect(await dueIds()).toEqual(ids);
    });

    it('is due immediately when the sweep requests it', async () => {
      const proforma = await cancelInSweep();
      expect(await dueIds()).toEqual([firstRefundId(proforma)]);
      expect(await claim(firstRefundId(proforma))).toEqual({ proformaId: proforma.id, attempts: 1 });
    });

    it('is not due after the payment service has answered', async () => {
      const [paidOut, refusedProforma] = [await cancelPaidProforma(), await cancelPaidProforma()];
      await shop.change(paidOut, refundOutcomes('refunded'));
      await shop.change(refusedProforma, refundOutcomes('failed'));
      forward(CALL_SECONDS);
      expect(await dueIds()).toEqual([]);
      expect(await claim(firstRefundId(paidOut))).toBeUndefined();
    });

    it('is due again when retried after a failure', async () => {
      const proforma = await cancelPaidProforma();
      await shop.change(proforma, refundOutcomes('failed'));
      forward(1_000);
      await shop.change(proforma, refundRetries);
      expect(await dueIds()).toEqual([]);
      forward(CALL_SECONDS);
      expect(await dueIds()).toEqual([firstRefundId(proforma)]);
      expect(await claim(firstRefundId(proforma))).toEqual({ proformaId: proforma.id, attempts: 2 });
    });

    it('stays due when the proforma changes otherwise', async () => {
      const proforma = await cancelPaidProforma();
      forward(CALL_SECONDS);
      expect(await claim(firstRefundId(proforma))).toEqual({ proformaId: proforma.id, attempts: 2 });
      await shop.change(proforma, (current, now) => ({ ...current, updatedAt: now }));
      forward(FIRST_PAUSE_SECONDS);
      expect(await dueIds()).toEqual([firstRefundId(proforma)]);
      expect(await claim(firstRefundId(proforma))).toEqual({ proformaId: proforma.id, attempts: 3 });
    });

    it('does not exist for incoming payments', async () => {
      await shop.change(await shop.proforma(), shop.cardPayment());
      await shop.change(await shop.proforma(), shop.payment());
      forward(1_000);
      expect(await dueIds()).toEqual([]);
    });
  });

  describe('a claim of a refund', () => {
    it('counts the attempts and lengthens the pause after each', async () => {
      const { id, ...proforma } = await cancelPaidProforma();
      const refundId = firstRefundId({ id, ...proforma });
      forward(CALL_SECONDS);
      expect(await claim(refundId)).toEqual({ proformaId: id, attempts: 2 });
      forward(FIRST_PAUSE_SECONDS - 1);
      expect(await claim(refundId)).toBeUndefined();
      forward(1);
      expect(await claim(refundId)).toEqual({ proformaId: id, attempts: 3 });
      forward(2 * FIRST_PAUSE_SECONDS - 1);
      expect(await dueIds()).toEqual([]);
      forward(1);
      expect(await dueIds()).toEqual([refundId]);
    });

    it('fails when the refund is not due', async () => {
      const refundId = firstRefundId(await cancelPaidProforma());
      expect(await claim(refundId)).toBeUndefined();
      forward(CALL_SECONDS);
      expect(await claim(refundId, await fixture.makeApp())).toBeUndefined();
      expect(await claim(987_654_321_987)).toBeUndefined();
      expect(await dueIds()).toEqual([refundId]);
    });

    eachCase<[string, () => Promise<Proforma>]>(it, [
      ['a call', () => cancelPaidProforma()],
      ['the sweep', () => cancelInSweep()],
    ])('that %s requests succeeds for only one of several workers', async (_, makeProforma) => {
      const refundId = firstRefundId(await makeProforma());
      forward(CALL_SECONDS);
      const claims = await Promise.all(Array.from({ length: 6 }, () => claim(refundId)));
      expect(claims.filter((claimResult) => claimResult !== undefined)).toHaveLength(1);
      expect(await dueIds()).toEqual([]);
      forward(FIRST_PAUSE_SECONDS);
      expect(await dueIds()).toEqual([refundId]);
    });
  });

  describe('due', () => {
    it('returns refunds of all apps, longest due first, up to the limit', async () => {
      const otherShop = await SampleShop.open(fixture);
      const firstRefund = firstRefundId(await cancelPaidProforma());
      forward(1);
      const secondRefund = firstRefundId(await cancelPaidProforma(otherShop));
      forward(1);
      const thirdRefund = firstRefundId(await cancelPaidProforma());
      forward(CALL_SECONDS);
      const dueRefunds = await fixture.refundQueue.due(fixture.clock.now(), MANY);
      const ownRefunds = dueRefunds.filter(({ appId }) => appId === shop.appId || appId === otherShop.appId);
      expect(ownRefunds).toEqual([
        { appId: shop.appId, paymentId: firstRefund },
        { appId: otherShop.appId, paymentId: secondRefund },
        { appId: shop.appId, paymentId: thirdRefund },
      ]);
      expect(await fixture.refundQueue.due(fixture.clock.now(), dueRefunds.length - 1)).toEqual(
        dueRefunds.slice(0, -1),
      );
    });
  });
}
