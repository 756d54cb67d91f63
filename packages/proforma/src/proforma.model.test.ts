import { addHours, isRefusal, type Refusal } from '@back-office/kernel';
import fc from 'fast-check';
import { anEvaluation, BANK, CARD, CASH, charging, wanting } from '../testing/index.js';
import { PlainShop, type Answer, type PlainProforma } from '../testing/plain-shop.js';
import { LIFETIME_HOURS, ON_HAND, RealShop, VARIANTS } from '../testing/real-shop.js';
import { cancel, convert } from './close.js';
import { edit } from './edit.js';
import { pay } from './pay.js';
import { STATUSES, type Proforma } from './proforma.js';
import {
  ALERT_NOT_FOUND,
  ALREADY_FINAL,
  CASH_AMOUNT_REQUIRED,
  DEBT_ALREADY_PAID,
  EXCEEDS_DEBT,
  INVALID_TAGS,
  METHOD_NOT_SUPPORTED,
  NOTHING_CONFIRMED,
} from './refusals.js';
import { pendingRefunds } from './refund.js';
import { warehouseConfirm } from './warehouse-confirm.js';

const METHODS = { cash: CASH, bank: BANK, card: CARD };

interface Both {
  readonly plain: PlainShop;
  readonly real: RealShop;
}
type Step = fc.AsyncCommand<PlainShop, RealShop>;

/** Every status, alert and answer that was met on the way. */
const seen = new Set<string>();

function step(name: string, take: (both: Both) => Promise<void>, check: Step['check'] = () => true): Step {
  const run = async (plain: PlainShop, real: RealShop): Promise<void> => {
    await take({ plain, real });
    await compare({ plain, real });
  };
  return { check, run, toString: () => name };
}

const isAnybodyThere: Step['check'] = (plain) => plain.proformas.length > 0;

/** A call on one of the proformas: both shops answer alike, and a refused call changes nothing. */
function call(
  name: string,
  which: number,
  ask: (plain: PlainShop, proforma: PlainProforma) => Answer,
  decide: (proforma: Proforma, now: Date) => Proforma | Refusal,
): Step {
  const take = async ({ plain, real }: Both): Promise<void> => {
    const proforma = pick(plain.proformas, which);
    const before = JSON.stringify(proforma);
    const answer = ask(plain, proforma);
    const stored = await real.act(pick(real.ids, which), (found) => decide(found, real.now));
    seen.add(`${name}: ${stored?.refusal?.refused.replace(/^Insufficient.*/, 'out of stock') ?? 'done'}`);
    expect(stored?.refusal === undefined ? 'done' : 'refused').toBe(answer);
    const metItsDeadline = JSON.stringify(proforma) !== before;
    if (answer === 'refused' && !metItsDeadline) expect(stored?.proforma).toBe(stored?.before);
  };
  return step(`${name} ${which}`, take, isAnybodyThere);
}

/** Counted from the newest, which has most of its life before it. */
const which = fc.oneof(fc.constantFrom(0, 0, 1), fc.nat(5));

const creating = fc
  .record({
    lines: fc.array(
      fc.record({
        variant: fc.constantFrom('shirt', 'shirt', 'sock'),
        qty: fc.integer({ min: 1, max: 4 }),
        price: fc.constantFrom(0, 333, 1000),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    fee: fc.constantFrom(0, 0, 490),
  })
  .map(({ lines, fee }) =>
    step('create', async ({ plain, real }) => {
      const wanted = lines.map(({ variant, ...line }) => wanting({ ...VARIANTS[variant], ...line }));
      const evaluation = anEvaluation(...wanted, ...(fee > 0 ? [charging(fee)] : []));
      const id = real.evaluate(evaluation);
      const answer = plain.create(lines, fee);
      seen.add(`create: ${answer}`);
      expect(isRefusal(await real.create(id)) ? 'refused' : 'done').toBe(answer);
      if (answer === 'done') expect(isRefusal(await real.create(id))).toBe(true);
    }),
  );

const paymentOf = (at: number, amount: number | null, method: keyof typeof METHODS): Step =>
  call(
    'pay',
    at,
    (plain, proforma) => plain.pay(proforma, amount, method),
    (proforma, now) => pay(proforma, { method: METHODS[method], amount, now }),
  );

const paying = fc
  .record({
    at: which,
    amount: fc.constantFrom(null, 0, -5, 100, 400, 1000, 3000),
    method: fc.constantFrom('cash', 'bank', 'bank', 'card'),
  })
  .map(({ at, amount, method }) => paymentOf(at, amount, method));

const confirmation = (at: number, quantities: readonly number[]): Step =>
  call(
    'confirm',
    at,
    (plain, proforma) => plain.confirm(proforma, quantities),
    (proforma, now) => {
      const ids = proforma.lines.map((line) => line.id);
      const adjustments = quantities.map((qtyConfirmed, index) => ({ lineId: ids[index] ?? -1, qtyConfirmed }));
      return warehouseConfirm(proforma, { adjustments, now });
    },
  );

const nothingOrAll = fc.constantFrom([0], [0, 0], [0, 0, 0], []);
const anything = fc.array(fc.integer({ min: -1, max: 4 }), { maxLength: 3 });
const confirming = fc
  .record({ at: which, quantities: fc.oneof(anything, nothingOrAll) })
  .map(({ at, quantities }) => confirmation(at, quantities));

const converting = which.map((at) =>
  call(
    'convert',
    at,
    (plain, proforma) => plain.convert(proforma),
    (proforma, now) => convert(proforma, { orderNumber: 'O-2026-00000000', amountPerPoint: 0, now }),
  ),
);

const canceling = which.map((at) =>
  call(
    'cancel',
    at,
    (plain, proforma) => plain.cancel(proforma),
    (proforma, now) => cancel(proforma, { reason: null, now }),
  ),
);

const editing = fc
  .record({
    at: which,
    tags: fc.option(fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 3 }), { nil: undefined }),
    alert: fc.option(fc.nat(1), { nil: undefined, freq: 2 }),
  })
  .map(({ at, tags, alert }) =>
    call(
      'edit',
      at,
      (plain, proforma) => plain.edit(proforma, tags, alert),
      (proforma, now) => {
        const alerts = alert === undefined ? null : [{ index: alert, resolved: true as const }];
        return edit(proforma, { tags, alerts, now });
      },
    ),
  );

/** The gateway answers about one pending refund, and then once more. */
const settling = fc
  .record({ chosen: fc.nat(3), outcome: fc.constantFrom('refunded', 'failed') })
  .map(({ chosen, outcome }) => {
    const take = async ({ plain, real }: Both): Promise<void> => {
      const place = plain.proformas.findIndex(({ pending }) => pending > 0);
      const found = await real.find(real.ids.at(place) ?? 0);
      const told = plain.proformas.at(place);
      if (found === undefined || told === undefined) throw new Error('Nothing is on its way back');
      const refund = pick(pendingRefunds(found), chosen);
      seen.add(`settle: ${outcome}`);
      plain.settleRefund(told, -refund.amount, outcome);
      for (const answer of [outcome, 'failed'] as const) {
        await real.settle(found.id, refund.id, answer);
      }
    };
    return step('settle a refund', take, (plain) => plain.proformas.some(({ pending }) => pending > 0));
  });

const waitingFor = (hours: number, isSwept: boolean): Step =>
  step(`wait ${hours} h`, async ({ plain, real }) => {
    plain.now += hours;
    real.now = addHours(real.now, hours);
    if (!isSwept) return;
    for (const proforma of plain.proformas) plain.meetDeadline(proforma);
    await real.sweep();
  });

const waiting = fc
  .record({ hours: fc.constantFrom(1, 30, 72), isSwept: fc.boolean() })
  .map(({ hours, isSwept }) => waitingFor(hours, isSwept));

const calls = [paying, confirming, converting, canceling, editing];

const inARow = (...told: readonly Step[]): Step => ({
  check: (plain) => told.every((each) => each.check(plain)),
  run: async (plain, real) => {
    for (const each of told) await each.run(plain, real);
  },
  toString: () => told.map((each) => each.toString()).join(', '),
});

const repeating = fc.oneof(...calls).map((each) => inARow(each, each));

/** What one proforma gave up, another takes: then the first wants it back. */
const outbidding = creating.map((create) => inARow(confirmation(0, [0]), create, confirmation(1, [])));

/** One that is paid in full wants its pieces back after its deadline, when another has them. */
const lateOutbidding = creating.map((create) =>
  inARow(confirmation(0, [1]), paymentOf(0, null, 'bank'), create, waitingFor(72, false), confirmation(1, [])),
);

const often = (times: number, told: fc.Arbitrary<Step>): fc.Arbitrary<Step>[] =>
  Array.from({ length: times }, () => told);

const steps = [
  ...often(3, creating),
  ...often(3, paying),
  ...often(4, confirming),
  ...often(2, editing),
  ...often(3, settling),
  ...often(2, waiting),
  converting,
  canceling,
  repeating,
  outbidding,
  lateOutbidding,
];

const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  create: ['done', 'refused'],
  pay: [
    'done',
    ALREADY_FINAL.refused,
    METHOD_NOT_SUPPORTED.refused,
    CASH_AMOUNT_REQUIRED.refused,
    DEBT_ALREADY_PAID.refused,
    EXCEEDS_DEBT.refused,
  ],
  confirm: ['done', ALREADY_FINAL.refused, 'is invalid', 'out of stock'],
  convert: ['done', ALREADY_FINAL.refused, NOTHING_CONFIRMED.refused],
  cancel: ['done', ALREADY_FINAL.refused],
  edit: ['done', ALREADY_FINAL.refused, INVALID_TAGS.refused, ALERT_NOT_FOUND.refused],
  settle: ['refunded', 'failed'],
  alert: ['refund_failed', 'expiry_refund_failed', 'paid_not_converted'],
  // Nothing but a card payment leads to awaiting_payment.
  status: STATUSES.filter((status) => status !== 'awaiting_payment'),
};

describe('any calls in any order', () => {
  it('leave the money and the pieces that a plain count comes to', async () => {
    const story = fc.commands(steps, { maxCommands: 40, size: 'max' });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), story, async (expirePaid, told) => {
        const shops = { model: new PlainShop(ON_HAND, LIFETIME_HOURS, expirePaid), real: new RealShop(expirePaid) };
        await fc.asyncModelRun(() => shops, told);
      }),
      { numRuns: 1_000 },
    );
  }, 20_000);

  it('came to every status, alert and answer that there is', () => {
    const expected = Object.entries(ANSWERS).flatMap(([what, answers]) => answers.map((each) => `${what}: ${each}`));
    expect([...seen].sort()).toEqual(expected.sort());
  });
});

async function compare({ plain, real }: Both): Promise<void> {
  const [expected, found] = [plain.picture(), await real.picture()];
  for (const { status, alerts } of found.proformas) {
    seen.add(`status: ${status}`);
    for (const { kind } of alerts) seen.add(`alert: ${kind}`);
  }
  // Thousands of comparisons: the slow one, which explains itself, is asked when there is something to explain.
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
  if ((await real.faults()).length > 0) expect(await real.faults()).toEqual([]);
}

function pick<Each>(list: readonly Each[], place: number): Each {
  const picked = list.at(-1 - (place % list.length));
  if (picked === undefined) throw new Error('There is nothing to pick from');
  return picked;
}
