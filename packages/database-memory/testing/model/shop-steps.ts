import { addHours, isRefusal, type Refusal } from '@back-office/kernel';
import type fc from 'fast-check';
import {
  beginCardPayment,
  cancel,
  convert,
  edit,
  pay,
  pendingRefunds,
  recordRefund,
  retryRefund,
  warehouseConfirm,
  type Proforma,
} from '@back-office/proforma';
import { anEvaluation, BANK, CARD, CASH, withFee, withLine } from '@back-office/proforma/testing';
import type { Answer, Snapshot, PlainProforma, PlainShop, RequestedLine } from './plain-shop.js';
import { VARIANTS, type RealShop } from './real-shop.js';

const METHODS = { cash: CASH, bank: BANK, card: CARD };
export type Method = keyof typeof METHODS;
type CardStatus = 'settled' | 'failed';

interface ShopPair {
  readonly plain: PlainShop;
  readonly real: RealShop;
}

export type Step = fc.AsyncCommand<PlainShop, RealShop>;

export const seenAnswers = new Set<string>();

function step(name: string, runStep: (shops: ShopPair) => Promise<void>, check: Step['check'] = () => true): Step {
  const run = async (plain: PlainShop, real: RealShop): Promise<void> => {
    await runStep({ plain, real });
    await compare({ plain, real });
  };
  return { check, run, toString: () => name };
}

function call(
  name: string,
  index: number,
  details: string,
  callModel: (plain: PlainShop, proforma: PlainProforma) => Answer,
  decide: (proforma: Proforma, now: Date) => Proforma | Refusal,
): Step {
  const runCall = async ({ plain, real }: ShopPair): Promise<void> => {
    const proforma = pick(plain.proformas, index);
    const before = JSON.stringify(proforma);
    const answer = callModel(plain, proforma);
    const change = await real.act(pick(real.ids, index), (storedProforma) => decide(storedProforma, real.now));
    seenAnswers.add(`${name}: ${change?.refusal ? reasonOf(change.refusal) : 'done'}`);
    expectEqual(change?.refusal === undefined ? 'done' : 'refused', answer);
    const hasDeadlineChange = JSON.stringify(proforma) !== before;
    if (answer === 'refused' && !hasDeadlineChange) expectSame(change?.proforma, change?.before);
  };
  return step(`${name} ${index} ${details}`.trim(), runCall, (plain) => plain.proformas.length > 0);
}

export interface Basket {
  readonly lines: readonly (RequestedLine & { readonly variant: keyof typeof VARIANTS })[];
  readonly fee: number;
  readonly vouchers: readonly string[];
}

export const creation = ({ lines, fee, vouchers }: Basket): Step =>
  step(`create with ${JSON.stringify([lines, fee, vouchers])}`, async ({ plain, real }) => {
    const lineTraits = lines.map(({ variant, ...line }) => withLine({ ...VARIANTS[variant], ...line }));
    const id = real.evaluate(anEvaluation(...lineTraits, ...(fee > 0 ? [withFee(fee)] : [])), vouchers);
    const answer = plain.create(lines, fee, vouchers);
    const result = await real.create(id);
    seenAnswers.add(`create: ${isRefusal(result) ? reasonOf(result) : result.status}`);
    expectEqual(isRefusal(result) ? 'refused' : 'done', answer);
    if (answer === 'done') expectEqual(isRefusal(await real.create(id)), true);
  });

export const payment = (index: number, amount: number | null, method: Method): Step =>
  call(
    'pay',
    index,
    `${amount} by ${method}`,
    (plain, proforma) => plain.pay(proforma, amount, method),
    (proforma, now) => pay(proforma, { method: METHODS[method], amount, now }),
  );

export const cardPayment = (index: number, amount: number | null, method: Method = 'card'): Step =>
  call(
    'begin card payment',
    index,
    `${amount} by ${method}`,
    (plain, proforma) => plain.beginCard(proforma, amount, method),
    (proforma, now) => beginCardPayment(proforma, { method: METHODS[method], amount, now }),
  );

export function cardResult(index: number, cardIndex: number, status: CardStatus): Step {
  const hasCards = ({ cards }: PlainProforma): boolean => cards.length > 0;
  const runCardResult = async ({ plain, real }: ShopPair): Promise<void> => {
    const proforma = pick(plain.proformas.filter(hasCards), index);
    const id = real.ids[plain.proformas.indexOf(proforma)] ?? 0;
    const card = pick(proforma.cards, cardIndex);
    const position = proforma.cards.indexOf(card);
    const isFirstResult = card.result === 'awaited';
    plain.receiveCardResult(proforma, card, status);
    const change = await real.receiveCardResult(id, position, status);
    seenAnswers.add(`card: ${isFirstResult ? `${status}, then ${change?.proforma.status}` : 'repeated'}`);
    const otherStatus = status === 'settled' ? 'failed' : 'settled';
    plain.receiveCardResult(proforma, card, otherStatus);
    const firstRepeat = await real.receiveCardResult(id, position, otherStatus);
    const secondRepeat = await real.receiveCardResult(id, position, otherStatus);
    expectSame(secondRepeat?.proforma, firstRepeat?.proforma);
  };
  return step(`card ${cardIndex} of ${index} ${status}`, runCardResult, (plain) => plain.proformas.some(hasCards));
}

export const confirmation = (index: number, quantities: readonly number[]): Step =>
  call(
    'confirm',
    index,
    JSON.stringify(quantities),
    (plain, proforma) => plain.confirm(proforma, quantities),
    (proforma, now) => {
      const ids = proforma.lines.map((line) => line.id);
      const adjustments = quantities.map((qtyConfirmed, line) => ({ lineId: ids[line] ?? -1, qtyConfirmed }));
      return warehouseConfirm(proforma, { adjustments, now });
    },
  );

export const conversion = (index: number): Step =>
  call(
    'convert',
    index,
    '',
    (plain, proforma) => plain.convert(proforma),
    (proforma, now) => convert(proforma, { orderNumber: `O-${proforma.id}`, amountPerPoint: 0, now }),
  );

export const cancellation = (index: number): Step =>
  call(
    'cancel',
    index,
    '',
    (plain, proforma) => plain.cancel(proforma),
    (proforma, now) => cancel(proforma, { reason: null, now }),
  );

export const orderRefund = (index: number): Step =>
  step(
    `refund order ${index}`,
    async ({ plain, real }) => {
      const proforma = pick(plain.proformas, index);
      seenAnswers.add(`refund order: ${proforma.status === 'converted' ? 'converted' : 'no order'}`);
      plain.refundOrder(proforma);
      await real.refundOrder(pick(real.ids, index));
    },
    (plain) => plain.proformas.length > 0,
  );

export const editing = (index: number, tags: readonly string[] | undefined, alert: number | undefined): Step =>
  call(
    'edit',
    index,
    JSON.stringify({ tags, alert }),
    (plain, proforma) => plain.edit(proforma, tags, alert),
    (proforma, now) => {
      const alerts = alert === undefined ? null : [{ index: alert, resolved: true as const }];
      return edit(proforma, { tags, alerts, now });
    },
  );

export function refundAnswer(refundIndex: number, outcome: 'refunded' | 'failed'): Step {
  const runRefundAnswer = async ({ plain, real }: ShopPair): Promise<void> => {
    const index = plain.proformas.findIndex(({ pendingAmount }) => pendingAmount > 0);
    const storedProforma = await real.find(real.ids.at(index) ?? 0);
    const proforma = plain.proformas.at(index);
    if (storedProforma === undefined || proforma === undefined) throw new Error('No refund is pending');
    const refund = pick(pendingRefunds(storedProforma), refundIndex);
    seenAnswers.add(`settle: ${outcome}`);
    plain.applyRefundOutcome(proforma, refund.id, -refund.amount, outcome);
    for (const answer of [outcome, 'failed'] as const) {
      await real.settle(storedProforma.id, refund.id, answer);
    }
  };
  return step(`refund ${refundIndex} ${outcome}`, runRefundAnswer, (plain) =>
    plain.proformas.some(({ pendingAmount }) => pendingAmount > 0),
  );
}

export function refundRepair(index: number, method: 'record' | 'retry'): Step {
  const hasFailedRefund = ({ failedRefunds }: PlainProforma): boolean => failedRefunds.length > 0;
  const runRepair = async ({ plain, real }: ShopPair): Promise<void> => {
    const proforma = pick(plain.proformas.filter(hasFailedRefund), index);
    const id = real.ids[plain.proformas.indexOf(proforma)] ?? 0;
    const failedRefunds = (await real.find(id))?.payments.filter(({ status }) => status === 'refund_failed') ?? [];
    const { id: refundId, amount } = pick(failedRefunds, index);
    const repair = async () =>
      real.act(id, (storedProforma) =>
        method === 'record'
          ? recordRefund(storedProforma, { refundId, reference: null, now: real.now })
          : retryRefund(storedProforma, { refundId, now: real.now }),
      );
    plain.repairRefund(proforma, refundId, -amount, method);
    seenAnswers.add(`repair: ${method}`);
    const firstRepair = await repair();
    // After the refund, the proforma may have a debt again, so the next call may expire it.
    const before = JSON.stringify(proforma);
    plain.meetDeadline(proforma);
    const secondRepair = await repair();
    if (JSON.stringify(proforma) === before) expectSame(secondRepair?.proforma, firstRepair?.proforma);
  };
  return step(`${method} refund ${index}`, runRepair, (plain) => plain.proformas.some(hasFailedRefund));
}

export const wait = (hours: number, isSwept: boolean): Step =>
  step(`wait ${hours} h${isSwept ? ' and sweep' : ''}`, async ({ plain, real }) => {
    plain.now += hours;
    real.now = addHours(real.now, hours);
    if (!isSwept) return;
    for (const proforma of plain.proformas) plain.meetDeadline(proforma);
    await real.sweep();
  });

export const letPaidExpire = (expirePaid: boolean): Step =>
  step(`expire_paid ${expirePaid}`, async ({ plain, real }) => {
    plain.expirePaid = expirePaid;
    real.setExpirePaid(expirePaid);
  });

export const sequence = (...steps: readonly Step[]): Step => ({
  check: () => true,
  run: async (plain, real) => {
    for (const nextStep of steps) if (nextStep.check(plain)) await nextStep.run(plain, real);
  },
  toString: () => steps.map((nextStep) => nextStep.toString()).join(', '),
});

async function compare({ plain, real }: ShopPair): Promise<void> {
  const [expected, actual] = [plain.snapshot(), await real.snapshot()];
  for (const proforma of actual.proformas) recordAnswers(proforma);
  expectEqual(await real.faults(), []);
  expectEqual(actual, expected);
}

// Calls `expect` only to explain a difference that a faster comparison has found, because `expect` is slow.

function expectEqual(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
}

function expectSame(actual: unknown, expected: unknown): void {
  if (actual !== expected) expect(actual).toEqual(expected);
}

function recordAnswers({ status, alerts, vouchers }: Snapshot['proformas'][number]): void {
  seenAnswers.add(`status: ${status}`);
  for (const { kind } of alerts) seenAnswers.add(`alert: ${kind}`);
  const hadDeadlineAlert = alerts.some(({ kind }) => kind === 'paid_not_converted');
  if (status === 'expired' && hadDeadlineAlert) seenAnswers.add('expired: after its alert');
  for (const { firstAmount, keptAmount } of vouchers) {
    const share = keptAmount === firstAmount ? 'all' : keptAmount === 0 ? 'nothing' : 'a part';
    seenAnswers.add(`voucher: ${share} kept, ${isOpen(status) ? 'open' : status}`);
  }
}

function isOpen(status: string): boolean {
  return !['converted', 'canceled', 'expired'].includes(status);
}

function reasonOf({ refused }: Refusal): string {
  return refused.replace(/^Insufficient.*/, 'out of stock');
}

function pick<Item>(list: readonly Item[], index: number): Item {
  const item = list.at(-1 - (index % list.length));
  if (item === undefined) throw new Error('The list is empty');
  return item;
}
