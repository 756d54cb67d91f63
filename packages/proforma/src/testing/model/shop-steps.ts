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
} from '../../index.js';
import { BANK, CARD, CASH } from '../a-proforma.js';
import { anEvaluation, charging, wanting } from '../an-evaluation.js';
import type { Answer, Snapshot, PlainProforma, PlainShop, Wanted } from './plain-shop.js';
import { VARIANTS, type RealShop } from './real-shop.js';

const METHODS = { cash: CASH, bank: BANK, card: CARD };
export type Method = keyof typeof METHODS;
type CardStatus = 'settled' | 'failed';

interface Both {
  readonly plain: PlainShop;
  readonly real: RealShop;
}

/** An action on both shops, which are compared afterwards. */
export type Step = fc.AsyncCommand<PlainShop, RealShop>;

/** All statuses, alerts and answers that occurred. */
export const seen = new Set<string>();

function step(name: string, take: (both: Both) => Promise<void>, check: Step['check'] = () => true): Step {
  const run = async (plain: PlainShop, real: RealShop): Promise<void> => {
    await take({ plain, real });
    await compare({ plain, real });
  };
  return { check, run, toString: () => name };
}

/** A call on one proforma. Both shops must answer alike; a refused call changes nothing. */
function call(
  name: string,
  at: number,
  how: string,
  ask: (plain: PlainShop, proforma: PlainProforma) => Answer,
  decide: (proforma: Proforma, now: Date) => Proforma | Refusal,
): Step {
  const take = async ({ plain, real }: Both): Promise<void> => {
    const proforma = pick(plain.proformas, at);
    const before = JSON.stringify(proforma);
    const answer = ask(plain, proforma);
    const stored = await real.act(pick(real.ids, at), (found) => decide(found, real.now));
    seen.add(`${name}: ${stored?.refusal ? reasonOf(stored.refusal) : 'done'}`);
    expectEqual(stored?.refusal === undefined ? 'done' : 'refused', answer);
    const metItsDeadline = JSON.stringify(proforma) !== before;
    if (answer === 'refused' && !metItsDeadline) expectSame(stored?.proforma, stored?.before);
  };
  return step(`${name} ${at} ${how}`.trim(), take, (plain) => plain.proformas.length > 0);
}

export interface Basket {
  readonly lines: readonly (Wanted & { readonly variant: keyof typeof VARIANTS })[];
  readonly fee: number;
  readonly vouchers: readonly string[];
}

export const creation = ({ lines, fee, vouchers }: Basket): Step =>
  step(`create with ${JSON.stringify([lines, fee, vouchers])}`, async ({ plain, real }) => {
    const wanted = lines.map(({ variant, ...line }) => wanting({ ...VARIANTS[variant], ...line }));
    const id = real.evaluate(anEvaluation(...wanted, ...(fee > 0 ? [charging(fee)] : [])), vouchers);
    const answer = plain.create(lines, fee, vouchers);
    const made = await real.create(id);
    seen.add(`create: ${isRefusal(made) ? reasonOf(made) : made.status}`);
    expectEqual(isRefusal(made) ? 'refused' : 'done', answer);
    if (answer === 'done') expectEqual(isRefusal(await real.create(id)), true);
  });

export const payment = (at: number, amount: number | null, method: Method): Step =>
  call(
    'pay',
    at,
    `${amount} by ${method}`,
    (plain, proforma) => plain.pay(proforma, amount, method),
    (proforma, now) => pay(proforma, { method: METHODS[method], amount, now }),
  );

export const cardPayment = (at: number, amount: number | null, method: Method = 'card'): Step =>
  call(
    'begin card payment',
    at,
    `${amount} by ${method}`,
    (plain, proforma) => plain.beginCard(proforma, amount, method),
    (proforma, now) => beginCardPayment(proforma, { method: METHODS[method], amount, now }),
  );

/** A result for one card payment, then the other result twice. */
export function cardResult(at: number, chosen: number, status: CardStatus): Step {
  const hasCards = ({ cards }: PlainProforma): boolean => cards.length > 0;
  const take = async ({ plain, real }: Both): Promise<void> => {
    const proforma = pick(plain.proformas.filter(hasCards), at);
    const id = real.ids[plain.proformas.indexOf(proforma)] ?? 0;
    const card = pick(proforma.cards, chosen);
    const index = proforma.cards.indexOf(card);
    const isFirst = card.result === 'awaited';
    plain.receiveCardResult(proforma, card, status);
    const stored = await real.receiveCardResult(id, index, status);
    seen.add(`card: ${isFirst ? `${status}, then ${stored?.proforma.status}` : 'repeated'}`);
    const other = status === 'settled' ? 'failed' : 'settled';
    plain.receiveCardResult(proforma, card, other);
    const received = await real.receiveCardResult(id, index, other);
    const again = await real.receiveCardResult(id, index, other);
    expectSame(again?.proforma, received?.proforma);
  };
  return step(`card ${chosen} of ${at} ${status}`, take, (plain) => plain.proformas.some(hasCards));
}

/** Quantities for the first lines; the others are confirmed in full. */
export const confirmation = (at: number, quantities: readonly number[]): Step =>
  call(
    'confirm',
    at,
    JSON.stringify(quantities),
    (plain, proforma) => plain.confirm(proforma, quantities),
    (proforma, now) => {
      const ids = proforma.lines.map((line) => line.id);
      const adjustments = quantities.map((qtyConfirmed, index) => ({ lineId: ids[index] ?? -1, qtyConfirmed }));
      return warehouseConfirm(proforma, { adjustments, now });
    },
  );

export const conversion = (at: number): Step =>
  call(
    'convert',
    at,
    '',
    (plain, proforma) => plain.convert(proforma),
    (proforma, now) => convert(proforma, { orderNumber: 'O-2026-00000000', amountPerPoint: 0, now }),
  );

export const cancellation = (at: number): Step =>
  call(
    'cancel',
    at,
    '',
    (plain, proforma) => plain.cancel(proforma),
    (proforma, now) => cancel(proforma, { reason: null, now }),
  );

export const orderRefund = (at: number): Step =>
  step(
    `refund order ${at}`,
    async ({ plain, real }) => {
      const proforma = pick(plain.proformas, at);
      seen.add(`refund order: ${proforma.status === 'converted' ? 'converted' : 'no order'}`);
      plain.refundOrder(proforma);
      await real.refundOrder(pick(real.ids, at));
    },
    (plain) => plain.proformas.length > 0,
  );

export const edition = (at: number, tags: readonly string[] | undefined, alert: number | undefined): Step =>
  call(
    'edit',
    at,
    JSON.stringify({ tags, alert }),
    (plain, proforma) => plain.edit(proforma, tags, alert),
    (proforma, now) => {
      const alerts = alert === undefined ? null : [{ index: alert, resolved: true as const }];
      return edit(proforma, { tags, alerts, now });
    },
  );

/** An outcome for one pending refund, then a second one. */
export function refundAnswer(chosen: number, outcome: 'refunded' | 'failed'): Step {
  const take = async ({ plain, real }: Both): Promise<void> => {
    const index = plain.proformas.findIndex(({ pending }) => pending > 0);
    const found = await real.find(real.ids.at(index) ?? 0);
    const proforma = plain.proformas.at(index);
    if (found === undefined || proforma === undefined) throw new Error('No refund is pending');
    const refund = pick(pendingRefunds(found), chosen);
    seen.add(`settle: ${outcome}`);
    plain.settleRefund(proforma, refund.id, -refund.amount, outcome);
    for (const answer of [outcome, 'failed'] as const) {
      await real.settle(found.id, refund.id, answer);
    }
  };
  return step(`refund ${chosen} ${outcome}`, take, (plain) => plain.proformas.some(({ pending }) => pending > 0));
}

/** A person repairs one failed refund, then tries again. */
export function failedRefund(chosen: number, how: 'record' | 'retry'): Step {
  const hasFailed = ({ failedRefunds }: PlainProforma): boolean => failedRefunds > 0;
  const take = async ({ plain, real }: Both): Promise<void> => {
    const proforma = pick(plain.proformas.filter(hasFailed), chosen);
    const id = real.ids[plain.proformas.indexOf(proforma)] ?? 0;
    const failed = (await real.find(id))?.payments.filter(({ status }) => status === 'refund_failed') ?? [];
    const { id: refundId, amount } = pick(failed, chosen);
    const repair = async () =>
      real.act(id, (found) =>
        how === 'record'
          ? recordRefund(found, { refundId, reference: null, now: real.now })
          : retryRefund(found, { refundId, now: real.now }),
      );
    plain.repairRefund(proforma, refundId, -amount, how);
    seen.add(`repair: ${how}`);
    const repaired = await repair();
    // Without that money the proforma may have debt again, so the next call may expire it.
    const before = JSON.stringify(proforma);
    plain.meetDeadline(proforma);
    const again = await repair();
    if (JSON.stringify(proforma) === before) expectSame(again?.proforma, repaired?.proforma);
  };
  return step(`${how} refund ${chosen}`, take, (plain) => plain.proformas.some(hasFailed));
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
    real.expirePaid = expirePaid;
  });

export const inARow = (...steps: readonly Step[]): Step => ({
  check: () => true,
  run: async (plain, real) => {
    for (const each of steps) if (each.check(plain)) await each.run(plain, real);
  },
  toString: () => steps.map((each) => each.toString()).join(', '),
});

async function compare({ plain, real }: Both): Promise<void> {
  const [expected, found] = [plain.snapshot(), await real.snapshot()];
  for (const proforma of found.proformas) noteSeen(proforma);
  expectEqual(await real.faults(), []);
  expectEqual(found, expected);
}

// `expect` is slow: it runs only to explain a difference.

function expectEqual(found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
}

function expectSame(found: unknown, before: unknown): void {
  if (found !== before) expect(found).toBe(before);
}

function noteSeen({ status, alerts, vouchers }: Snapshot['proformas'][number]): void {
  seen.add(`status: ${status}`);
  for (const { kind } of alerts) seen.add(`alert: ${kind}`);
  const hadItsAlert = alerts.some(({ kind }) => kind === 'paid_not_converted');
  if (status === 'expired' && hadItsAlert) seen.add('expired: after its alert');
  for (const { paid, kept } of vouchers) {
    const share = kept === paid ? 'all' : kept === 0 ? 'nothing' : 'a part';
    seen.add(`voucher: ${share} kept, ${isOpen(status) ? 'open' : status}`);
  }
}

function isOpen(status: string): boolean {
  return !['converted', 'canceled', 'expired'].includes(status);
}

function reasonOf({ refused }: Refusal): string {
  return refused.replace(/^Insufficient.*/, 'out of stock');
}

/** Counted from the newest. */
function pick<Each>(list: readonly Each[], index: number): Each {
  const picked = list.at(-1 - (index % list.length));
  if (picked === undefined) throw new Error('The list is empty');
  return picked;
}
