import { addHours, isRefusal, type Refusal } from '@back-office/kernel';
import {
  anEvaluation,
  aStockRow,
  withGuest,
  withDelivery,
  NOW,
  withPickupPoint,
  asExpired,
  asUsed,
  withLine,
  withVouchers,
  type Trait,
} from './testing/index.js';
import { createProforma, type CreateFacts, type Evaluation } from './create.js';
import { NO_SOURCE, type Proforma } from './proforma.js';
import * as refusals from './refusals.js';

function createWith(evaluation: CreateFacts['evaluation'], overrides: Partial<CreateFacts> = {}): Proforma | Refusal {
  return createProforma({
    evaluation,
    stock: [aStockRow()],
    preferredWarehouse: null,
    number: 'P-2026-7K2M9Q',
    lifetimeHours: 72,
    minimumBasketAmount: 0,
    now: NOW,
    ...overrides,
  });
}

function assertCreated(result: Proforma | Refusal): Proforma {
  if (isRefusal(result)) throw new Error(result.refused);
  return result;
}

describe('createProforma', () => {
  const evaluation = anEvaluation(withLine({ qty: 2 }), withLine({ qty: 3, price: 250, vatRate: 1000 }));
  const proforma = assertCreated(createWith(evaluation));

  it('makes an unpaid draft', () => {
    expect(proforma).toMatchObject({
      id: 0,
      number: 'P-2026-7K2M9Q',
      evaluationId: 50,
      status: 'draft',
      payments: [],
      alerts: [],
      warehouseConfirmedAt: null,
      convertedAt: null,
      converted: null,
      orderId: null,
      canceledAt: null,
      cancelReason: null,
    });
  });

  it('sets the deadline by the app’s lifetime of proformas', () => {
    expect(proforma).toMatchObject({ processingDate: NOW, insertedAt: NOW, updatedAt: NOW });
    expect(proforma.expiresAt).toEqual(addHours(NOW, 72));
    expect(assertCreated(createWith(evaluation, { lifetimeHours: 1 })).expiresAt).toEqual(addHours(NOW, 1));
  });

  it('copies the amounts of the evaluation without recalculation', () => {
    const fees = [{ kind: 'shipment', name: 'Courier', qty: 1, price: 9, vatRate: 2000, sales: 9, discount: 1 }];
    const totals = { sales: 7, discount: 2, netSales: 4, vat: 1, endSales: 5 };
    const createdProforma = assertCreated(createWith({ ...evaluation, fees, totals }));
    expect(createdProforma).toMatchObject({ ...totals, fees, originalEndSales: 5 });
    expect(createdProforma.lines).toMatchObject(evaluation.lines);
  });

  it('keeps the order of the lines and gives each of them a warehouse', () => {
    const unconfirmedFields = { id: 0, qtyConfirmed: null, warehouseId: 1, warehouseCode: 'W1' };
    expect(proforma.lines).toEqual(evaluation.lines.map((line) => ({ ...line, ...unconfirmedFields })));
  });

  it('copies the sale terms, but nothing about the evaluation itself', () => {
    const terms = { comment: 'Ring twice', tags: ['VIP'], currency: 'EUR', marketId: 2, salesChannel: 'app' };
    const createdProforma = assertCreated(createWith({ ...evaluation, ...terms }));
    expect(createdProforma).toMatchObject({ ...terms, buyer: evaluation.buyer, delivery: evaluation.delivery });
    for (const name of ['used', 'pickupPoint', 'totals']) expect(createdProforma).not.toHaveProperty(name);
  });
});

describe('an evaluation for a new proforma', () => {
  it('is refused when it does not exist', () => {
    expect(createWith(undefined)).toEqual(refusals.STALE_EVALUATION);
  });

  it('is refused when it belongs to another app', () => {
    expect(createWith('of another app')).toEqual(refusals.WRONG_APP);
  });

  it('is stale at its expiry time, but not a millisecond before', () => {
    expect(createWith(anEvaluation(asExpired(NOW)))).toEqual(refusals.STALE_EVALUATION);
    expect(assertCreated(createWith(anEvaluation(asExpired(new Date(NOW.getTime() + 1))))).status).toBe('draft');
  });

  it('is stale after it was used', () => {
    expect(createWith(anEvaluation(asUsed))).toEqual(refusals.STALE_EVALUATION);
  });
});

describe('a product without VAT', () => {
  it('is refused on every line, unlike a product with 0 % VAT', () => {
    expect(createWith(anEvaluation(withLine({}), withLine({ vatRate: null })))).toEqual(refusals.MISSING_VAT);
    expect(assertCreated(createWith(anEvaluation(withLine({ vatRate: 0 })))).status).toBe('draft');
  });
});

describe('a guest as the buyer', () => {
  it('is accepted with complete data', () => {
    expect(assertCreated(createWith(anEvaluation(withGuest()))).buyer.id).toBeNull();
    expect(assertCreated(createWith(anEvaluation(withGuest(), withDelivery({ country: null })))).status).toBe('draft');
  });

  it.each<[string, Trait<Evaluation>]>([
    ['an email', withGuest({ email: null })],
    ['a first name', withGuest({ firstName: null })],
    ['a last name', withGuest({ lastName: null })],
    ['a phone', withGuest({ phone: null })],
    ['more than a blank phone', withGuest({ phone: ' \t' })],
    ['more than an empty email', withGuest({ email: '' })],
    ['an address', withDelivery({ address_line_1: null })],
    ['a city', withDelivery({ city: null })],
    ['more than a blank city', withDelivery({ city: ' ' })],
    ['a postcode', withDelivery({ postcode: null })],
    ['any delivery', withDelivery(null)],
  ])('needs %s', (_, incompleteTrait) => {
    expect(createWith(anEvaluation(withGuest(), incompleteTrait))).toEqual(refusals.GUEST_DATA_INCOMPLETE);
  });
});

describe('a customer as the buyer', () => {
  it('does not need delivery data', () => {
    const withoutContact: Trait<Evaluation> = (evaluation) => ({
      ...evaluation,
      buyer: { ...evaluation.buyer, email: null, firstName: null, lastName: null, phone: null },
    });
    expect(assertCreated(createWith(anEvaluation(withoutContact, withDelivery(null)))).status).toBe('draft');
  });
});

describe('the pickup point of a new proforma', () => {
  it.each(['not needed', 'available'] as const)('is accepted when %s', (point) => {
    expect(assertCreated(createWith(anEvaluation(withPickupPoint(point)))).status).toBe('draft');
  });

  it('is refused when missing or unavailable', () => {
    expect(createWith(anEvaluation(withPickupPoint('missing')))).toEqual(refusals.PICKUP_POINT_REQUIRED);
    expect(createWith(anEvaluation(withPickupPoint('unavailable')))).toEqual(refusals.PICKUP_POINT_UNAVAILABLE);
  });
});

const insufficientShirts = (wanted: number, ...available: refusals.Shortage['available']) =>
  refusals.insufficientStock('Shirt', { code: anEvaluation().lines[0]?.code ?? '', wanted, available });

describe('the stock for a new proforma', () => {
  it('is refused, with the name of the product, when insufficient', () => {
    expect(createWith(anEvaluation(withLine({ name: 'Coat', qty: 8 }), withLine({ qty: 8, name: 'Shirt' })))).toEqual(
      insufficientShirts(8, { warehouse_code: 'W1', qty: 2 }),
    );
    expect(createWith(anEvaluation(withLine({ name: 'Shirt' })), { stock: [] })).toMatchObject({
      refused: 'Insufficient stock for product: Shirt',
      details: { available: [] },
    });
  });

  it('comes from the preferred warehouse', () => {
    const stock = [aStockRow(), aStockRow({ warehouseId: 2, warehouseCode: 'W2' })];
    expect(assertCreated(createWith(anEvaluation(), { stock, preferredWarehouse: 'W2' })).lines).toMatchObject([
      { warehouseId: 2, warehouseCode: 'W2' },
    ]);
    expect(assertCreated(createWith(anEvaluation(), { stock, preferredWarehouse: 'W9' })).lines).toMatchObject([
      { warehouseId: 1 },
    ]);
  });
});

const refusalCases: readonly {
  readonly refusal: Refusal;
  readonly violatedPart: 'evaluation' | 'line' | 'guest' | 'pickup' | 'stock';
  readonly trait: Trait<Evaluation>;
}[] = [
  { refusal: refusals.STALE_EVALUATION, violatedPart: 'evaluation', trait: asUsed },
  { refusal: refusals.MISSING_VAT, violatedPart: 'line', trait: withLine({ vatRate: null }) },
  { refusal: refusals.GUEST_DATA_INCOMPLETE, violatedPart: 'guest', trait: withGuest({ phone: null }) },
  { refusal: refusals.PICKUP_POINT_REQUIRED, violatedPart: 'pickup', trait: withPickupPoint('missing') },
  { refusal: refusals.PICKUP_POINT_UNAVAILABLE, violatedPart: 'pickup', trait: withPickupPoint('unavailable') },
  {
    refusal: insufficientShirts(11, { warehouse_code: 'W1', qty: 10 }),
    violatedPart: 'stock',
    trait: withLine({ qty: 11, name: 'Shirt' }),
  },
];

// Excludes pairs that violate the same part of the facts, because a pickup point cannot be both missing and
// unavailable.
const refusalPairs = refusalCases.flatMap((earlierCase, index) =>
  refusalCases
    .slice(index + 1)
    .filter((laterCase) => laterCase.violatedPart !== earlierCase.violatedPart)
    .map((laterCase) => ({
      earlier: earlierCase,
      later: laterCase,
      name: `${earlierCase.refusal.refused} before ${laterCase.refusal.refused}`,
    })),
);

describe('the minimum basket amount', () => {
  const fee = { kind: 'shipment', name: 'Courier', qty: 1, price: 500, vatRate: 2000, sales: 500, discount: 0 };
  const evaluation: Evaluation = {
    ...anEvaluation(withLine({ qty: 2, price: 1000 }), withLine({ qty: 1, price: 250 })),
    fees: [fee],
  };
  const [firstLine, ...otherLines] = evaluation.lines;
  const discountedEvaluation = {
    ...evaluation,
    lines: [{ ...(firstLine as typeof fee & typeof firstLine), discount: 50 }, ...otherLines],
  };
  const withMinimum = (minimumBasketAmount: number, evaluationToCheck: Evaluation = evaluation) =>
    createWith(evaluationToCheck, { minimumBasketAmount });

  it('counts goods after discounts, without fees', () => {
    expect(assertCreated(withMinimum(2250)).status).toBe('draft');
    expect(withMinimum(2251)).toEqual(refusals.BASKET_BELOW_MINIMUM);
    expect(assertCreated(withMinimum(2200, discountedEvaluation as Evaluation)).status).toBe('draft');
    expect(withMinimum(2201, discountedEvaluation as Evaluation)).toEqual(refusals.BASKET_BELOW_MINIMUM);
  });

  it('counts goods paid by vouchers', () => {
    const paidEvaluation = anEvaluation(withVouchers(3000));
    const { endSales } = paidEvaluation.totals;
    expect(assertCreated(withMinimum(endSales, paidEvaluation)).status).toBe('paid');
    expect(withMinimum(endSales + 1, paidEvaluation)).toEqual(refusals.BASKET_BELOW_MINIMUM);
  });

  it('allows a free basket when it is 0', () => {
    expect(assertCreated(withMinimum(0, anEvaluation(withLine({ price: 0 })))).status).toBe('draft');
  });

  it.each(refusalCases.filter(({ violatedPart }) => violatedPart !== 'stock'))(
    'is checked after the reason for $refusal.refused',
    ({ refusal, trait }) => {
      expect(createWith(anEvaluation(trait), { minimumBasketAmount: 1_000_000 })).toEqual(refusal);
    },
  );

  it('is checked before stock', () => {
    expect(withMinimum(1_000_000, anEvaluation(withLine({ qty: 11 })))).toEqual(refusals.BASKET_BELOW_MINIMUM);
  });
});

describe('refusals of a new proforma for two reasons at once', () => {
  it('are tested for fourteen pairs of reasons', () => {
    expect(refusalPairs).toHaveLength(14);
  });

  it.each(refusalPairs)('are decided by the first reason: $name', ({ earlier, later }) => {
    expect(createWith(anEvaluation(later.trait, earlier.trait))).toEqual(earlier.refusal);
    expect(createWith(anEvaluation(later.trait))).toEqual(later.refusal);
  });
});

describe('the vouchers of a new proforma', () => {
  const createWithVouchers = (...available: readonly number[]): Proforma =>
    assertCreated(createWith(anEvaluation(withVouchers(...available))));

  it('become settled payments, one per voucher', () => {
    const { payments, status } = createWithVouchers(1000, 500);
    expect(status).toBe('draft');
    expect(payments).toEqual([
      {
        id: 0,
        amount: 1000,
        method: 'voucher',
        methodId: null,
        kind: 'voucher',
        status: 'settled',
        date: NOW,
        refundOf: null,
        keyPart: null,
        reference: null,
        ...NO_SOURCE,
        voucherId: 501,
      },
      expect.objectContaining({ amount: 500, voucherId: 502 }),
    ]);
  });

  it('pay at most the debt', () => {
    expect(createWithVouchers(2000, 5000).payments.map(({ amount }) => amount)).toEqual([2000, 1000]);
  });

  it('make the proforma paid when they cover the total', () => {
    expect(createWithVouchers(3000).status).toBe('paid');
    expect(createWithVouchers(2999).status).toBe('draft');
  });

  it('are not used when earlier vouchers cover the total', () => {
    expect(createWithVouchers(3000, 1).payments.map(({ voucherId }) => voucherId)).toEqual([501]);
  });

  it('do not make a free proforma paid, which stays a draft', () => {
    const freeProforma = assertCreated(createWith(anEvaluation(withLine({ price: 0 }), withVouchers(100))));
    expect([freeProforma.status, freeProforma.payments]).toEqual(['draft', []]);
  });

  it('pay only the amount of the evaluation when more is available', () => {
    const evaluation = anEvaluation(withVouchers(1000));
    const largerVouchers = evaluation.vouchers.map((voucher) => ({ ...voucher, available: 2000 }));
    expect(assertCreated(createWith({ ...evaluation, vouchers: largerVouchers })).payments).toMatchObject([
      { amount: 1000 },
    ]);
  });

  it('are refused when less than the amount of the evaluation is available', () => {
    const evaluation = anEvaluation(withVouchers(1000));
    const smallerVouchers = evaluation.vouchers.map((voucher) => ({ ...voucher, available: 999 }));
    expect(createWith({ ...evaluation, vouchers: smallerVouchers })).toEqual(refusals.VOUCHER_NOT_AVAILABLE);
  });

  it('are refused when reserved or spent', () => {
    expect(createWith(anEvaluation(withVouchers(100, 0)))).toEqual(refusals.VOUCHER_NOT_AVAILABLE);
  });
});
