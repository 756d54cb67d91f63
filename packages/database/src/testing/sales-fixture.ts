import type { Basket, EvaluatedBasket } from '@back-office/checkout';
import { aBasket } from '@back-office/checkout/testing';
import { isRefusal, type Clock, type PaymentMethod, type Refusal } from '@back-office/kernel';
import type { ManualClock } from '@back-office/kernel/testing';
import type { OrderChange, OrderIdentifier } from '@back-office/orders';
import type { Sale as OrderSale } from '@back-office/orders/testing';
import { convert, createProforma, pay, warehouseConfirm, type Decision, type Proforma } from '@back-office/proforma';
import type { Database } from '../index.js';
import { stockedGoodsOf } from './goods-fixture.js';
import { fixtureOf } from './fixture.js';
import { setUpOf } from './set-up-fixture.js';
import { unique } from './fixture-values.js';

type SalesPorts = Pick<Database, 'evaluations' | 'orderChanges' | 'orderQueries' | 'proformaOrders'>;
type SalesFixturePorts = SalesPorts &
  Parameters<typeof fixtureOf>[0] &
  Parameters<typeof stockedGoodsOf>[0] &
  Parameters<typeof setUpOf>[0];

const LIFETIME_HOURS = 72;

export function salesFixtureOf<Ports extends SalesFixturePorts>(
  ports: Ports,
  clock: ManualClock,
  close?: () => Promise<void>,
) {
  const setUp = setUpOf(ports);
  const sales = salesOf(ports, clock);
  return {
    ...fixtureOf(ports, clock, close),
    ...stockedGoodsOf(ports),
    ...setUp,
    ...sales,
    async sellOrder(
      appId: number,
      { customer, paid, confirmed, amountPerPoint = 0, ...sale }: OrderSale,
    ): Promise<number> {
      const basket = { vouchers: [], ...sale, ...(customer && { customer: identifiersOf(customer) }) };
      const draft = await sales.sell(appId, basket);
      const method = await setUp.methodOf(appId, 'bank_transfer');
      if (paid !== 0 && draft.status !== 'paid') await sales.change(appId, draft.id, decideToPay(method, paid, clock));
      if (confirmed) await sales.change(appId, draft.id, decideToConfirm(confirmed, clock));
      const { orderId } = await sales.change(appId, draft.id, decideToConvert(amountPerPoint, clock));
      return orderId as number;
    },
  };
}

function salesOf({ evaluations, orderChanges, orderQueries, proformaOrders }: SalesPorts, clock: Clock) {
  const evaluate = async (appId: number, basket: Partial<Basket>): Promise<EvaluatedBasket> => {
    const result = await evaluations.evaluate(appId, aBasket(basket));
    if (isRefusal(result)) throw new Error(result.refused);
    return result;
  };
  const tryToPropose = (appId: number, evaluationId: number): Promise<Proforma | Refusal> =>
    proformaOrders.create(appId, evaluationId, (facts) => {
      const number = unique('P-2026');
      const terms = {
        preferredWarehouse: null,
        number,
        lifetimeHours: LIFETIME_HOURS,
        minimumBasketAmount: 0,
        now: clock.now(),
      };
      return createProforma({ ...facts, ...terms });
    });
  return {
    evaluate,
    tryToPropose,
    async sell(appId: number, basket: Partial<Basket>): Promise<Proforma> {
      const { id } = await evaluate(appId, basket);
      return throwIfRefused(await tryToPropose(appId, id));
    },
    async changeOrder(appId: number, orderId: number, change: Omit<OrderChange, keyof OrderIdentifier>): Promise<void> {
      const order = await orderQueries.find(appId, orderId);
      if (order === undefined) throw new Error(`No order ${orderId}`);
      const identifiers = { id: order.id, dataPart: order.data_part, timePart: order.time_part };
      const { failed } = await orderChanges.change(appId, [{ ...identifiers, ...change }], {});
      if (failed.length > 0) throw new Error(JSON.stringify(failed));
    },
    async change(appId: number, id: number, decide: Decision): Promise<Proforma> {
      const result = await proformaOrders.change(appId, id, decide);
      if (result === undefined) throw new Error(`No proforma ${id}`);
      return throwIfRefused(result.refusal ?? result.proforma);
    },
  };
}

function identifiersOf({ id, data_part: dataPart, time_part: timePart }: NonNullable<OrderSale['customer']>) {
  return { id, dataPart, timePart };
}

function decideToPay(method: PaymentMethod, amount: number | undefined, clock: Clock): Decision {
  return (proforma) => ({ next: throwIfRefused(pay(proforma, { method, amount: amount ?? 0, now: clock.now() })) });
}

function decideToConfirm(quantities: readonly number[], clock: Clock): Decision {
  return (proforma) => {
    const adjustments = proforma.lines.map(({ id }, index) => ({ lineId: id, qtyConfirmed: quantities[index] }));
    return { next: throwIfRefused(warehouseConfirm(proforma, { adjustments, now: clock.now() })) };
  };
}

function decideToConvert(amountPerPoint: number, clock: Clock): Decision {
  const orderNumber = unique('O-2026');
  return (proforma) => ({ next: throwIfRefused(convert(proforma, { orderNumber, amountPerPoint, now: clock.now() })) });
}

function throwIfRefused(outcome: Proforma | Refusal): Proforma {
  if (isRefusal(outcome)) throw new Error(outcome.refused);
  return outcome;
}
