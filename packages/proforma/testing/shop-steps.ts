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
} from '../src/index.js';
import { BANK, CARD, CASH } from './a-proforma.js';
import { anEvaluation, charging, wanting } from './an-evaluation.js';
import type { Answer, Picture, PlainProforma, PlainShop, Wanted } from './plain-shop.js';
import { VARIANTS, type RealShop } from './real-shop.js';

const METHODS = { cash: CASH, bank: BANK, card: CARD };
export type Method = keyof typeof METHODS;
type Word = 'settled' | 'failed';

interface Both {
  readonly plain: PlainShop;
  readonly real: RealShop;
}

/** Something that happens to both shops, which are compared afterwards. */
export type Step = fc.AsyncCommand<PlainShop, RealShop>;

/** Every status, alert and answer that was met on the way. */
export const seen = new Set<string>();

function step(name: string, take: (both: Both) => Promise<void>, check: Step['check'] = () => true): Step {
  const run = async (plain: PlainShop, real: RealShop): Promise<void> => {
    await take({ plain, real });
    await compare({ plain, real });
  };
  return { check, run, toString: () => name };
}

/** A call on one of the proformas: both shops answer alike, and a refused call changes nothing. */
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
    agree(stored?.refusal === undefined ? 'done' : 'refused', answer);
    const metItsDeadline = JSON.stringify(proforma) !== before;
    if (answer === 'refused' && !metItsDeadline) keep(stored?.proforma, stored?.before);
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
    agree(isRefusal(made) ? 'refused' : 'done', answer);
    if (answer === 'done') agree(isRefusal(await real.create(id)), true);
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

/** The processor's word on one of the card payments, and then another word, twice. */
export function cardResult(at: number, chosen: number, word: Word): Step {
  const hasCards = ({ cards }: PlainProforma): boolean => cards.length > 0;
  const take = async ({ plain, real }: Both): Promise<void> => {
    const proforma = pick(plain.proformas.filter(hasCards), at);
    const id = real.ids[plain.proformas.indexOf(proforma)] ?? 0;
    const card = pick(proforma.cards, chosen);
    const place = proforma.cards.indexOf(card);
    const isFirst = card.word === 'awaited';
    plain.hearOfCard(proforma, card, word);
    const stored = await real.hearOfCard(id, place, word);
    seen.add(`card: ${isFirst ? `${word}, then ${stored?.proforma.status}` : 'heard of before'}`);
    const other = word === 'settled' ? 'failed' : 'settled';
    plain.hearOfCard(proforma, card, other);
    const heard = await real.hearOfCard(id, place, other);
    const again = await real.hearOfCard(id, place, other);
    keep(again?.proforma, heard?.proforma);
  };
  return step(`card ${chosen} of ${at} ${word}`, take, (plain) => plain.proformas.some(hasCards));
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

/** The gateway answers about one pending refund, and then once more. */
export function refundAnswer(chosen: number, outcome: 'refunded' | 'failed'): Step {
  const take = async ({ plain, real }: Both): Promise<void> => {
    const place = plain.proformas.findIndex(({ pending }) => pending > 0);
    const found = await real.find(real.ids.at(place) ?? 0);
    const told = plain.proformas.at(place);
    if (found === undefined || told === undefined) throw new Error('Nothing is on its way back');
    const refund = pick(pendingRefunds(found), chosen);
    seen.add(`settle: ${outcome}`);
    plain.settleRefund(told, refund.id, -refund.amount, outcome);
    for (const answer of [outcome, 'failed'] as const) {
      await real.settle(found.id, refund.id, answer);
    }
  };
  return step(`refund ${chosen} ${outcome}`, take, (plain) => plain.proformas.some(({ pending }) => pending > 0));
}

/** A person deals with one of the refunds that failed, and then once more. */
export function failedRefund(chosen: number, how: 'record' | 'retry'): Step {
  const hasFailed = ({ entrusted }: PlainProforma): boolean => entrusted > 0;
  const take = async ({ plain, real }: Both): Promise<void> => {
    const told = pick(plain.proformas.filter(hasFailed), chosen);
    const id = real.ids[plain.proformas.indexOf(told)] ?? 0;
    const failed = (await real.find(id))?.payments.filter(({ status }) => status === 'refund_failed') ?? [];
    const { id: refundId, amount } = pick(failed, chosen);
    const mend = async () =>
      real.act(id, (found) =>
        how === 'record'
          ? recordRefund(found, { refundId, reference: null, now: real.now })
          : retryRefund(found, { refundId, now: real.now }),
      );
    plain.mendRefund(told, refundId, -amount, how);
    seen.add(`mend: ${how}`);
    const mended = await mend();
    // Without that money the proforma may owe again, and the next call meets its deadline.
    const before = JSON.stringify(told);
    plain.meetDeadline(told);
    const again = await mend();
    if (JSON.stringify(told) === before) keep(again?.proforma, mended?.proforma);
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

export const inARow = (...told: readonly Step[]): Step => ({
  check: () => true,
  run: async (plain, real) => {
    for (const each of told) if (each.check(plain)) await each.run(plain, real);
  },
  toString: () => told.map((each) => each.toString()).join(', '),
});

async function compare({ plain, real }: Both): Promise<void> {
  const [expected, found] = [plain.picture(), await real.picture()];
  for (const proforma of found.proformas) takeNote(proforma);
  agree(await real.faults(), []);
  agree(found, expected);
}

// Thousands of comparisons: the slow one, which explains itself, is asked when there is something to explain.

function agree(found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
}

function keep(found: unknown, before: unknown): void {
  if (found !== before) expect(found).toBe(before);
}

function takeNote({ status, alerts, vouchers }: Picture['proformas'][number]): void {
  seen.add(`status: ${status}`);
  for (const { kind } of alerts) seen.add(`alert: ${kind}`);
  const hadItsAlert = alerts.some(({ kind }) => kind === 'paid_not_converted');
  if (status === 'expired' && hadItsAlert) seen.add('expired: after its alert');
  for (const { brought, kept } of vouchers) {
    const share = kept === brought ? 'all' : kept === 0 ? 'nothing' : 'a part';
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
function pick<Each>(list: readonly Each[], place: number): Each {
  const picked = list.at(-1 - (place % list.length));
  if (picked === undefined) throw new Error('There is nothing to pick from');
  return picked;
}
