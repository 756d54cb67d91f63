import fc from 'fast-check';
import { PlainShop } from './testing/model/plain-shop.js';
import { LIFETIME_HOURS, ON_HAND, RealShop, VOUCHERS } from './testing/model/real-shop.js';
import {
  cancellation,
  cardPayment,
  cardResult,
  confirmation,
  conversion,
  creation,
  edition,
  failedRefund,
  inARow,
  letPaidExpire,
  orderRefund,
  payment,
  refundAnswer,
  seen,
  wait,
  type Step,
} from './testing/model/shop-steps.js';
import { STATUSES } from './proforma.js';
import {
  ALERT_NOT_FOUND,
  ALREADY_FINAL,
  CASH_AMOUNT_REQUIRED,
  DEBT_ALREADY_PAID,
  EXCEEDS_DEBT,
  INVALID_TAGS,
  METHOD_NOT_SUPPORTED,
  NOTHING_CONFIRMED,
  VOUCHER_NOT_AVAILABLE,
} from './refusals.js';

/** Index from the newest proforma. */
const which = fc.oneof(fc.constantFrom(0, 0, 1), fc.nat(5));
const cardStatus = fc.constantFrom('settled', 'failed');
const amount = fc.constantFrom(null, 0, -5, 100, 400, 1000, 3000);

const creating = fc
  .record({
    lines: fc.array(
      fc.record({
        variant: fc.constantFrom('shirt', 'shirt', 'sock'),
        qty: fc.integer({ min: 1, max: 4 }),
        price: fc.constantFrom(0, 333, 1000, 1000),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    fee: fc.constantFrom(0, 0, 490),
    vouchers: fc.oneof(fc.constant([]), fc.shuffledSubarray(Object.keys(VOUCHERS), { minLength: 1, maxLength: 2 })),
  })
  .map(creation);

const paying = fc
  .tuple(which, amount, fc.constantFrom('cash', 'bank', 'bank', 'card'))
  .map((drawn) => payment(...drawn));

const startingCard = fc
  .tuple(which, amount, fc.constantFrom('card', 'card', 'card', 'card', 'bank'))
  .map((drawn) => cardPayment(...drawn));

const receivingCardResult = fc.tuple(which, fc.nat(3), cardStatus).map((drawn) => cardResult(...drawn));

const nothing = fc.constantFrom([0], [0, 0], [0, 0, 0]);
const nothingOrAll = fc.oneof(nothing, nothing, nothing, fc.constant([]));
const anything = fc.array(fc.integer({ min: -1, max: 4 }), { maxLength: 3 });
const confirming = fc.tuple(which, fc.oneof(anything, nothingOrAll)).map((drawn) => confirmation(...drawn));

const converting = which.map(conversion);
const canceling = which.map(cancellation);

const tags = fc.option(fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 3 }), { nil: undefined });
const alert = fc.option(fc.nat(1), { nil: undefined, freq: 2 });
const editing = fc.tuple(which, tags, alert).map((drawn) => edition(...drawn));

const settling = fc.tuple(fc.nat(3), fc.constantFrom('refunded', 'failed')).map((answer) => refundAnswer(...answer));
const repairing = fc.tuple(fc.nat(3), fc.constantFrom('record', 'retry')).map((drawn) => failedRefund(...drawn));
const refundingOrder = which.map(orderRefund);
const waiting = fc.tuple(fc.constantFrom(1, 30, 72), fc.boolean()).map((time) => wait(...time));
const switching = fc.boolean().map(letPaidExpire);

const repeating = fc
  .oneof(paying, startingCard, confirming, converting, canceling, editing)
  .map((each) => inARow(each, each));

/** A second proforma takes the pieces that the first gave up; then the first wants them back. */
const competing = creating.map((create) => inARow(confirmation(0, [0]), create, confirmation(1, [])));

/** A paid proforma wants its pieces back after its deadline, when another one has them. */
const lateCompetition = creating.map((create) =>
  inARow(confirmation(0, [1]), payment(0, null, 'bank'), create, wait(72, false), confirmation(1, [])),
);

const meanwhile = fc.constantFrom(
  conversion(0),
  cancellation(0),
  wait(72, false),
  wait(72, true),
  confirmation(0, [0]),
  confirmation(0, []),
  payment(0, null, 'bank'),
  cardPayment(0, 100),
  wait(1, false),
);
const payingByCard = fc
  .tuple(creating, fc.constantFrom(null, 100), meanwhile, cardStatus)
  .map(([create, asked, event, said]) => inARow(create, cardPayment(0, asked), event, cardResult(0, 0, said)));

const emptying = fc
  .tuple(creating, nothing)
  .map(([create, quantities]) => inARow(create, confirmation(0, quantities), conversion(0)));

/** The app lets paid proformas expire after one has its alert. */
const changingSetting = creating.map((create) =>
  inARow(letPaidExpire(false), create, payment(0, null, 'bank'), wait(72, true), letPaidExpire(true), wait(1, true)),
);

const often = (times: number, drawn: fc.Arbitrary<Step>): fc.Arbitrary<Step>[] =>
  Array.from({ length: times }, () => drawn);

const steps = [
  ...often(4, creating),
  ...often(4, paying),
  ...often(2, startingCard),
  ...often(3, receivingCardResult),
  ...often(4, confirming),
  ...often(2, editing),
  ...often(3, settling),
  ...often(2, repairing),
  refundingOrder,
  ...often(2, waiting),
  switching,
  converting,
  canceling,
  repeating,
  competing,
  lateCompetition,
  ...often(5, payingByCard),
  emptying,
  changingSetting,
];

const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  create: ['draft', 'paid', VOUCHER_NOT_AVAILABLE.refused, 'out of stock'],
  pay: [
    'done',
    ALREADY_FINAL.refused,
    METHOD_NOT_SUPPORTED.refused,
    CASH_AMOUNT_REQUIRED.refused,
    DEBT_ALREADY_PAID.refused,
    EXCEEDS_DEBT.refused,
  ],
  'begin card payment': [
    'done',
    ALREADY_FINAL.refused,
    METHOD_NOT_SUPPORTED.refused,
    DEBT_ALREADY_PAID.refused,
    EXCEEDS_DEBT.refused,
  ],
  card: [...STATUSES.flatMap((status) => [`settled, then ${status}`, `failed, then ${status}`]), 'repeated'],
  voucher: [
    ...['open', 'converted'].flatMap((state) => [
      `all kept, ${state}`,
      `a part kept, ${state}`,
      `nothing kept, ${state}`,
    ]),
    'nothing kept, canceled',
    'nothing kept, expired',
  ],
  confirm: ['done', ALREADY_FINAL.refused, 'is invalid', 'out of stock'],
  convert: ['done', ALREADY_FINAL.refused, NOTHING_CONFIRMED.refused],
  cancel: ['done', ALREADY_FINAL.refused],
  edit: ['done', ALREADY_FINAL.refused, INVALID_TAGS.refused, ALERT_NOT_FOUND.refused],
  settle: ['refunded', 'failed'],
  repair: ['record', 'retry'],
  'refund order': ['converted', 'no order'],
  alert: ['refund_failed', 'expiry_refund_failed', 'paid_not_converted'],
  expired: ['after its alert'],
  status: STATUSES,
};

describe('any sequence of calls', () => {
  it('agrees with the plain model', async () => {
    const sequence = fc.array(fc.oneof(...steps), { maxLength: 30, size: 'max' });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), creating, sequence, async (expirePaid, first, following) => {
        const [plain, real] = [new PlainShop(ON_HAND, VOUCHERS, LIFETIME_HOURS, expirePaid), new RealShop(expirePaid)];
        for (const step of [first, ...following]) if (step.check(plain)) await step.run(plain, real);
      }),
      { numRuns: 700 },
    );
  }, 120_000);

  it('reaches every status, alert and answer', () => {
    const expected = Object.entries(ANSWERS).flatMap(([what, answers]) => answers.map((each) => `${what}: ${each}`));
    expect([...seen].sort()).toEqual(expected.sort());
  });
});
