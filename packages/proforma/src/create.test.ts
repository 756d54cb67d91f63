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
import type { Proforma } from './proforma.js';
import * as refusals from './refusals.js';

function creating(evaluation: CreateFacts['evaluation'], more: Partial<CreateFacts> = {}): Proforma | Refusal {
  return createProforma({
    evaluation,
    stock: [aStockRow()],
    preferredWarehouse: null,
    number: 'P-2026-7K2M9Q',
    lifetimeHours: 72,
    minimumBasketAmount: 0,
    now: NOW,
    ...more,
  });
}

function made(outcome: Proforma | Refusal): Proforma {
  if (isRefusal(outcome)) throw new Error(outcome.refused);
  return outcome;
}

describe('createProforma', () => {
  const evaluation = anEvaluation(withLine({ qty: 2 }), withLine({ qty: 3, price: 250, vatRate: 1000 }));
  const proforma = made(creating(evaluation));

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

  it('sets the deadline by the lifetime of the app', () => {
    expect(proforma).toMatchObject({ processingDate: NOW, insertedAt: NOW, updatedAt: NOW });
    expect(proforma.expiresAt).toEqual(addHours(NOW, 72));
    expect(made(creating(evaluation, { lifetimeHours: 1 })).expiresAt).toEqual(addHours(NOW, 1));
  });

  it('copies the amounts of the evaluation without recalculation', () => {
    const fees = [{ kind: 'shipment', name: 'Courier', qty: 1, price: 9, vatRate: 2000, sales: 9, discount: 1 }];
    const totals = { sales: 7, discount: 2, netSales: 4, vat: 1, endSales: 5 };
    const kept = made(creating({ ...evaluation, fees, totals }));
    expect(kept).toMatchObject({ ...totals, fees, originalFees: fees, originalEndSales: 5 });
    expect(kept.lines).toMatchObject(evaluation.lines);
  });

  it('keeps the order of the lines and gives each a warehouse', () => {
    const unconfirmed = { id: 0, qtyConfirmed: null, warehouseId: 1, warehouseCode: 'W1' };
    expect(proforma.lines).toEqual(evaluation.lines.map((line) => ({ ...line, ...unconfirmed })));
  });

  it('copies the sale terms, and nothing about the evaluation itself', () => {
    const terms = { comment: 'Ring twice', tags: ['VIP'], currency: 'EUR', marketId: 2, salesChannel: 'app' };
    const kept = made(creating({ ...evaluation, ...terms }));
    expect(kept).toMatchObject({ ...terms, buyer: evaluation.buyer, delivery: evaluation.delivery });
    for (const name of ['used', 'pickupPoint', 'totals']) expect(kept).not.toHaveProperty(name);
  });
});

describe('an evaluation', () => {
  it('is refused when it does not exist', () => {
    expect(creating(undefined)).toEqual(refusals.STALE_EVALUATION);
  });

  it('is refused when it belongs to another app', () => {
    expect(creating('of another app')).toEqual(refusals.WRONG_APP);
  });

  it('is stale from the time it expires', () => {
    expect(creating(anEvaluation(asExpired(NOW)))).toEqual(refusals.STALE_EVALUATION);
    expect(made(creating(anEvaluation(asExpired(new Date(NOW.getTime() + 1))))).status).toBe('draft');
  });

  it('is stale once used', () => {
    expect(creating(anEvaluation(asUsed))).toEqual(refusals.STALE_EVALUATION);
  });
});

describe('a product without VAT', () => {
  it('is refused on any line; 0 % is accepted', () => {
    expect(creating(anEvaluation(withLine({}), withLine({ vatRate: null })))).toEqual(refusals.MISSING_VAT);
    expect(made(creating(anEvaluation(withLine({ vatRate: 0 })))).status).toBe('draft');
  });
});

describe('a guest', () => {
  it('with complete data is accepted', () => {
    expect(made(creating(anEvaluation(withGuest()))).buyer.id).toBeNull();
    expect(made(creating(anEvaluation(withGuest(), withDelivery({ country: null })))).status).toBe('draft');
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
  ])('needs %s', (_, missing) => {
    expect(creating(anEvaluation(withGuest(), missing))).toEqual(refusals.GUEST_DATA_INCOMPLETE);
  });
});

describe('a customer', () => {
  it('needs no delivery data', () => {
    const anonymous: Trait<Evaluation> = (found) => ({
      ...found,
      buyer: { ...found.buyer, email: null, firstName: null, lastName: null, phone: null },
    });
    expect(made(creating(anEvaluation(anonymous, withDelivery(null)))).status).toBe('draft');
  });
});

describe('a pickup point', () => {
  it.each(['not needed', 'available'] as const)('is accepted when %s', (point) => {
    expect(made(creating(anEvaluation(withPickupPoint(point)))).status).toBe('draft');
  });

  it('is refused when missing or unavailable', () => {
    expect(creating(anEvaluation(withPickupPoint('missing')))).toEqual(refusals.PICKUP_POINT_REQUIRED);
    expect(creating(anEvaluation(withPickupPoint('unavailable')))).toEqual(refusals.PICKUP_POINT_UNAVAILABLE);
  });
});

describe('stock', () => {
  const tooMuch = refusals.insufficientStock('Shirt');

  it('is refused by the name of the product when insufficient', () => {
    expect(tooMuch.refused).toBe('Insufficient stock for product: Shirt');
    expect(creating(anEvaluation(withLine({ name: 'Coat' }), withLine({ qty: 8, name: 'Shirt' })))).toEqual(tooMuch);
    expect(creating(anEvaluation(withLine({ name: 'Shirt' })), { stock: [] })).toEqual(tooMuch);
  });

  it('comes from the preferred warehouse', () => {
    const stock = [aStockRow(), aStockRow({ warehouseId: 2, warehouseCode: 'W2' })];
    expect(made(creating(anEvaluation(), { stock, preferredWarehouse: 'W2' })).lines).toMatchObject([
      { warehouseId: 2, warehouseCode: 'W2' },
    ]);
    expect(made(creating(anEvaluation(), { stock, preferredWarehouse: 'W9' })).lines).toMatchObject([
      { warehouseId: 1 },
    ]);
  });
});

// In the order of the checks.
const refusalCases: readonly {
  readonly refusal: Refusal;
  readonly broken: 'evaluation' | 'line' | 'guest' | 'pickup' | 'stock';
  readonly fact: Trait<Evaluation>;
}[] = [
  { refusal: refusals.STALE_EVALUATION, broken: 'evaluation', fact: asUsed },
  { refusal: refusals.MISSING_VAT, broken: 'line', fact: withLine({ vatRate: null }) },
  { refusal: refusals.GUEST_DATA_INCOMPLETE, broken: 'guest', fact: withGuest({ phone: null }) },
  { refusal: refusals.PICKUP_POINT_REQUIRED, broken: 'pickup', fact: withPickupPoint('missing') },
  { refusal: refusals.PICKUP_POINT_UNAVAILABLE, broken: 'pickup', fact: withPickupPoint('unavailable') },
  { refusal: refusals.insufficientStock('Shirt'), broken: 'stock', fact: withLine({ qty: 11, name: 'Shirt' }) },
];

// A pickup point is either missing or unavailable.
const pairs = refusalCases.flatMap((earlier, index) =>
  refusalCases
    .slice(index + 1)
    .filter((later) => later.broken !== earlier.broken)
    .map((later) => ({ earlier, later, name: `${earlier.refusal.refused} before ${later.refusal.refused}` })),
);

describe('a minimum amount of baskets', () => {
  const fee = { kind: 'shipment', name: 'Courier', qty: 1, price: 500, vatRate: 2000, sales: 500, discount: 0 };
  const evaluation: Evaluation = {
    ...anEvaluation(withLine({ qty: 2, price: 1000 }), withLine({ qty: 1, price: 250 })),
    fees: [fee],
  };
  const [first, ...others] = evaluation.lines;
  const cheaper = { ...evaluation, lines: [{ ...(first as typeof fee & typeof first), discount: 50 }, ...others] };
  const withMinimum = (minimumBasketAmount: number, offered: Evaluation = evaluation) =>
    creating(offered, { minimumBasketAmount });

  it('counts goods after discounts, without fees', () => {
    expect(made(withMinimum(2250)).status).toBe('draft');
    expect(withMinimum(2251)).toEqual(refusals.BASKET_BELOW_MINIMUM);
    expect(made(withMinimum(2200, cheaper as Evaluation)).status).toBe('draft');
    expect(withMinimum(2201, cheaper as Evaluation)).toEqual(refusals.BASKET_BELOW_MINIMUM);
  });

  it('counts goods paid by vouchers', () => {
    const paid = anEvaluation(withVouchers(3000));
    const { endSales } = paid.totals;
    expect(made(withMinimum(endSales, paid)).status).toBe('paid');
    expect(withMinimum(endSales + 1, paid)).toEqual(refusals.BASKET_BELOW_MINIMUM);
  });

  it('accepts a free basket when it is 0', () => {
    expect(made(withMinimum(0, anEvaluation(withLine({ price: 0 })))).status).toBe('draft');
  });

  it.each(refusalCases.filter(({ broken }) => broken !== 'stock'))(
    'is checked after $refusal.refused',
    ({ refusal, fact }) => {
      expect(creating(anEvaluation(fact), { minimumBasketAmount: 1_000_000 })).toEqual(refusal);
    },
  );

  it('is checked before stock', () => {
    expect(withMinimum(1_000_000, anEvaluation(withLine({ qty: 11 })))).toEqual(refusals.BASKET_BELOW_MINIMUM);
  });
});

describe('two refusals at once', () => {
  it('cover fourteen pairs', () => {
    expect(pairs).toHaveLength(14);
  });

  it.each(pairs)('$name', ({ earlier, later }) => {
    expect(creating(anEvaluation(later.fact, earlier.fact))).toEqual(earlier.refusal);
    expect(creating(anEvaluation(later.fact))).toEqual(later.refusal);
  });
});

describe('vouchers', () => {
  const offered = (...available: readonly number[]): Proforma =>
    made(creating(anEvaluation(withVouchers(...available))));

  it('become settled payments, one per voucher', () => {
    const { payments, status } = offered(1000, 500);
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
        voucherId: 501,
      },
      expect.objectContaining({ amount: 500, voucherId: 502 }),
    ]);
  });

  it('pay at most the debt', () => {
    expect(offered(2000, 5000).payments.map(({ amount }) => amount)).toEqual([2000, 1000]);
  });

  it('make the proforma paid when they cover the total', () => {
    expect(offered(3000).status).toBe('paid');
    expect(offered(2999).status).toBe('draft');
  });

  it('are not used once earlier ones cover the total', () => {
    expect(offered(3000, 1).payments.map(({ voucherId }) => voucherId)).toEqual([501]);
  });

  it('leave a free proforma a draft', () => {
    const free = made(creating(anEvaluation(withLine({ price: 0 }), withVouchers(100))));
    expect([free.status, free.payments]).toEqual(['draft', []]);
  });

  it('pay the promised amount when more is available', () => {
    const evaluation = anEvaluation(withVouchers(1000));
    const more = evaluation.vouchers.map((voucher) => ({ ...voucher, available: 2000 }));
    expect(made(creating({ ...evaluation, vouchers: more })).payments).toMatchObject([{ amount: 1000 }]);
  });

  it('are refused when less than promised is available', () => {
    const evaluation = anEvaluation(withVouchers(1000));
    const less = evaluation.vouchers.map((voucher) => ({ ...voucher, available: 999 }));
    expect(creating({ ...evaluation, vouchers: less })).toEqual(refusals.VOUCHER_NOT_AVAILABLE);
  });

  it('are refused when held or spent', () => {
    expect(creating(anEvaluation(withVouchers(100, 0)))).toEqual(refusals.VOUCHER_NOT_AVAILABLE);
  });
});
