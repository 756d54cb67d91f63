import fc from 'fast-check';
import { PlainShop } from '../../testing/model/plain-shop.js';
import { LIFETIME_HOURS, ON_HAND, RealShop, VOUCHERS } from '../../testing/model/real-shop.js';
import {
  cancellation,
  cardPayment,
  cardResult,
  confirmation,
  conversion,
  creation,
  editing,
  refundRepair,
  sequence,
  letPaidExpire,
  orderRefund,
  payment,
  refundAnswer,
  seenAnswers,
  wait,
  type Step,
} from '../../testing/model/shop-steps.js';
import {
  STATUSES,
  ALERT_NOT_FOUND,
  ALREADY_FINAL,
  CASH_AMOUNT_REQUIRED,
  DEBT_ALREADY_PAID,
  EXCEEDS_DEBT,
  INVALID_TAGS,
  METHOD_NOT_SUPPORTED,
  NOTHING_CONFIRMED,
  VOUCHER_NOT_AVAILABLE,
} from '@back-office/proforma';

const proformaIndex = fc.oneof(fc.constantFrom(0, 0, 1), fc.nat(5));
const cardStatus = fc.constantFrom('settled', 'failed');
const amount = fc.constantFrom(null, 0, -5, 100, 400, 1000, 3000);

const creationSteps = fc
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

const paymentSteps = fc
  .tuple(proformaIndex, amount, fc.constantFrom('cash', 'bank', 'bank', 'card'))
  .map((stepArguments) => payment(...stepArguments));

const cardPaymentSteps = fc
  .tuple(proformaIndex, amount, fc.constantFrom('card', 'card', 'card', 'card', 'bank'))
  .map((stepArguments) => cardPayment(...stepArguments));

const cardResultSteps = fc
  .tuple(proformaIndex, fc.nat(3), cardStatus)
  .map((stepArguments) => cardResult(...stepArguments));

const zeroQuantities = fc.constantFrom([0], [0, 0], [0, 0, 0]);
const zeroOrFullQuantities = fc.oneof(zeroQuantities, zeroQuantities, zeroQuantities, fc.constant([]));
const anyQuantities = fc.array(fc.integer({ min: -1, max: 4 }), { maxLength: 3 });
const confirmationSteps = fc
  .tuple(proformaIndex, fc.oneof(anyQuantities, zeroOrFullQuantities))
  .map((stepArguments) => confirmation(...stepArguments));

const conversionSteps = proformaIndex.map(conversion);
const cancellationSteps = proformaIndex.map(cancellation);

const editedTags = fc.option(fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 3 }), { nil: undefined });
const resolvedAlert = fc.option(fc.nat(1), { nil: undefined, freq: 2 });
const editSteps = fc.tuple(proformaIndex, editedTags, resolvedAlert).map((stepArguments) => editing(...stepArguments));

const refundAnswerSteps = fc
  .tuple(fc.nat(3), fc.constantFrom('refunded', 'failed'))
  .map((answer) => refundAnswer(...answer));
const refundRepairSteps = fc
  .tuple(fc.nat(3), fc.constantFrom('record', 'retry'))
  .map((stepArguments) => refundRepair(...stepArguments));
const orderRefundSteps = proformaIndex.map(orderRefund);
const waitSteps = fc.tuple(fc.constantFrom(1, 30, 72), fc.boolean()).map((time) => wait(...time));
const settingSteps = fc.boolean().map(letPaidExpire);

const repeatedSteps = fc
  .oneof(paymentSteps, cardPaymentSteps, confirmationSteps, conversionSteps, cancellationSteps, editSteps)
  .map((step) => sequence(step, step));

/** One proforma releases pieces, a second one takes them, then the first one needs them again. */
const competingSteps = creationSteps.map((create) => sequence(confirmation(0, [0]), create, confirmation(1, [])));

/** A paid proforma needs its pieces again after its deadline, but another proforma has taken them. */
const lateCompetingSteps = creationSteps.map((create) =>
  sequence(confirmation(0, [1]), payment(0, null, 'bank'), create, wait(72, false), confirmation(1, [])),
);

const eventsBeforeResult = fc.constantFrom(
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
const fullCardPaymentSteps = fc
  .tuple(creationSteps, fc.constantFrom(null, 100), eventsBeforeResult, cardStatus)
  .map(([create, requestedAmount, event, status]) =>
    sequence(create, cardPayment(0, requestedAmount), event, cardResult(0, 0, status)),
  );

const emptyOrderSteps = fc
  .tuple(creationSteps, zeroQuantities)
  .map(([create, quantities]) => sequence(create, confirmation(0, quantities), conversion(0)));

const changedSettingSteps = creationSteps.map((create) =>
  sequence(letPaidExpire(false), create, payment(0, null, 'bank'), wait(72, true), letPaidExpire(true), wait(1, true)),
);

const repeat = (count: number, arbitrary: fc.Arbitrary<Step>): fc.Arbitrary<Step>[] =>
  Array.from({ length: count }, () => arbitrary);

const steps = [
  ...repeat(4, creationSteps),
  ...repeat(4, paymentSteps),
  ...repeat(2, cardPaymentSteps),
  ...repeat(3, cardResultSteps),
  ...repeat(4, confirmationSteps),
  ...repeat(2, editSteps),
  ...repeat(3, refundAnswerSteps),
  ...repeat(2, refundRepairSteps),
  orderRefundSteps,
  ...repeat(2, waitSteps),
  settingSteps,
  conversionSteps,
  cancellationSteps,
  repeatedSteps,
  competingSteps,
  lateCompetingSteps,
  ...repeat(5, fullCardPaymentSteps),
  emptyOrderSteps,
  changedSettingSteps,
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

describe('any sequence of calls on a proforma', () => {
  it('has the same results as in a simple model', async () => {
    const stepLists = fc.array(fc.oneof(...steps), { maxLength: 30, size: 'max' });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), creationSteps, stepLists, async (expirePaid, firstStep, nextSteps) => {
        const [plain, real] = [new PlainShop(ON_HAND, VOUCHERS, LIFETIME_HOURS, expirePaid), new RealShop(expirePaid)];
        for (const step of [firstStep, ...nextSteps]) if (step.check(plain)) await step.run(plain, real);
      }),
      { numRuns: 700 },
    );
  }, 120_000);

  it('reaches every status, alert and response', () => {
    const expected = Object.entries(ANSWERS).flatMap(([subject, answers]) =>
      answers.map((answer) => `${subject}: ${answer}`),
    );
    expect([...seenAnswers].sort()).toEqual(expected.sort());
  });
});
