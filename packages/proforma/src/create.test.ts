import { addHours, isRefusal, type Refusal } from '@back-office/kernel';
import {
  anEvaluation,
  aStockRow,
  byGuest,
  deliveredTo,
  NOW,
  pickup,
  stale,
  used,
  wanting,
  withVouchers,
  type Fact,
} from '../testing/index.js';
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
    now: NOW,
    ...more,
  });
}

function made(outcome: Proforma | Refusal): Proforma {
  if (isRefusal(outcome)) throw new Error(outcome.refused);
  return outcome;
}

describe('an evaluation that nothing stands against', () => {
  const evaluation = anEvaluation(wanting({ qty: 2 }), wanting({ qty: 3, price: 250, vatRate: 1000 }));
  const proforma = made(creating(evaluation));

  it('becomes an unpaid draft', () => {
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

  it('has its prices frozen now, for as long as the app says', () => {
    expect(proforma).toMatchObject({ processingDate: NOW, insertedAt: NOW, updatedAt: NOW });
    expect(proforma.expiresAt).toEqual(addHours(NOW, 72));
    expect(made(creating(evaluation, { lifetimeHours: 1 })).expiresAt).toEqual(addHours(NOW, 1));
  });

  it('keeps exactly the amounts of the evaluation, whatever they would come to today', () => {
    const fees = [{ kind: 'shipment', name: 'Courier', qty: 1, price: 9, vatRate: 2000, sales: 9, discount: 1 }];
    const totals = { sales: 7, discount: 2, netSales: 4, vat: 1, endSales: 5 };
    const kept = made(creating({ ...evaluation, fees, totals }));
    expect(kept).toMatchObject({ ...totals, fees, originalFees: fees, originalEndSales: 5 });
    expect(kept.lines).toMatchObject(evaluation.lines);
  });

  it('has its lines in their order, unconfirmed, each with its warehouse', () => {
    const place = { id: 0, qtyConfirmed: null, warehouseId: 1, warehouseCode: 'W1' };
    expect(proforma.lines).toEqual(evaluation.lines.map((line) => ({ ...line, ...place })));
  });

  it('keeps the buyer, the delivery, the tags and the comment, and nothing about the evaluation itself', () => {
    const told = { comment: 'Ring twice', tags: ['VIP'], currency: 'EUR', marketId: 2, salesChannel: 'app' };
    const kept = made(creating({ ...evaluation, ...told }));
    expect(kept).toMatchObject({ ...told, buyer: evaluation.buyer, delivery: evaluation.delivery });
    for (const name of ['used', 'pickupPoint', 'totals']) expect(kept).not.toHaveProperty(name);
  });
});

describe('an evaluation that cannot be used', () => {
  it('is stale when there is none', () => {
    expect(creating(undefined)).toEqual(refusals.STALE_EVALUATION);
  });

  it('is refused when it is of another app', () => {
    expect(creating('of another app')).toEqual(refusals.WRONG_APP);
  });

  it('is stale from the moment on when it ends', () => {
    expect(creating(anEvaluation(stale(NOW)))).toEqual(refusals.STALE_EVALUATION);
    expect(made(creating(anEvaluation(stale(new Date(NOW.getTime() + 1))))).status).toBe('draft');
  });

  it('is stale when it was used', () => {
    expect(creating(anEvaluation(used))).toEqual(refusals.STALE_EVALUATION);
  });
});

describe('a product without VAT', () => {
  it('is refused on any line, and 0 % is VAT', () => {
    expect(creating(anEvaluation(wanting({}), wanting({ vatRate: null })))).toEqual(refusals.MISSING_VAT);
    expect(made(creating(anEvaluation(wanting({ vatRate: 0 })))).status).toBe('draft');
  });
});

describe('a guest', () => {
  it('whose data are complete gets a proforma', () => {
    expect(made(creating(anEvaluation(byGuest()))).buyer.id).toBeNull();
    expect(made(creating(anEvaluation(byGuest(), deliveredTo({ country: null })))).status).toBe('draft');
  });

  it.each<[string, Fact<Evaluation>]>([
    ['an email', byGuest({ email: null })],
    ['a first name', byGuest({ firstName: null })],
    ['a last name', byGuest({ lastName: null })],
    ['a phone', byGuest({ phone: null })],
    ['more than a blank phone', byGuest({ phone: ' \t' })],
    ['more than an empty email', byGuest({ email: '' })],
    ['an address', deliveredTo({ address_line_1: null })],
    ['a city', deliveredTo({ city: null })],
    ['more than a blank city', deliveredTo({ city: ' ' })],
    ['a postcode', deliveredTo({ postcode: null })],
    ['any delivery', deliveredTo(null)],
  ])('needs %s', (_, missing) => {
    expect(creating(anEvaluation(byGuest(), missing))).toEqual(refusals.GUEST_DATA_INCOMPLETE);
  });
});

describe('a customer', () => {
  it('may leave delivery data out', () => {
    const anonymous: Fact<Evaluation> = (found) => ({
      ...found,
      buyer: { ...found.buyer, email: null, firstName: null, lastName: null, phone: null },
    });
    expect(made(creating(anEvaluation(anonymous, deliveredTo(null)))).status).toBe('draft');
  });
});

describe('a pickup point', () => {
  it.each(['not needed', 'available'] as const)('that is %s is fine', (point) => {
    expect(made(creating(anEvaluation(pickup(point)))).status).toBe('draft');
  });

  it('that is missing or unavailable is refused', () => {
    expect(creating(anEvaluation(pickup('missing')))).toEqual(refusals.PICKUP_POINT_REQUIRED);
    expect(creating(anEvaluation(pickup('unavailable')))).toEqual(refusals.PICKUP_POINT_UNAVAILABLE);
  });
});

describe('stock', () => {
  const tooMuch = refusals.insufficientStock('Shirt');

  it('that does not suffice is refused by the name of the product', () => {
    expect(tooMuch.refused).toBe('Insufficient stock for product: Shirt');
    expect(creating(anEvaluation(wanting({ name: 'Coat' }), wanting({ qty: 8, name: 'Shirt' })))).toEqual(tooMuch);
    expect(creating(anEvaluation(wanting({ name: 'Shirt' })), { stock: [] })).toEqual(tooMuch);
  });

  it('is taken from the preferred warehouse', () => {
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
const obstacles: readonly {
  readonly refusal: Refusal;
  readonly broken: 'evaluation' | 'line' | 'guest' | 'pickup' | 'stock';
  readonly fact: Fact<Evaluation>;
}[] = [
  { refusal: refusals.STALE_EVALUATION, broken: 'evaluation', fact: used },
  { refusal: refusals.MISSING_VAT, broken: 'line', fact: wanting({ vatRate: null }) },
  { refusal: refusals.GUEST_DATA_INCOMPLETE, broken: 'guest', fact: byGuest({ phone: null }) },
  { refusal: refusals.PICKUP_POINT_REQUIRED, broken: 'pickup', fact: pickup('missing') },
  { refusal: refusals.PICKUP_POINT_UNAVAILABLE, broken: 'pickup', fact: pickup('unavailable') },
  { refusal: refusals.insufficientStock('Shirt'), broken: 'stock', fact: wanting({ qty: 11, name: 'Shirt' }) },
];

// A pickup point is either missing or unavailable.
const pairs = obstacles.flatMap((earlier, place) =>
  obstacles
    .slice(place + 1)
    .filter((later) => later.broken !== earlier.broken)
    .map((later) => ({ earlier, later, name: `${earlier.refusal.refused} goes before ${later.refusal.refused}` })),
);

describe('two obstacles at once', () => {
  it('come in fourteen pairs', () => {
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

  it('are payments that count at once, each by its own voucher', () => {
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
        reference: null,
        voucherId: 501,
      },
      expect.objectContaining({ amount: 500, voucherId: 502 }),
    ]);
  });

  it('pay no more than the debt; the rest stays on them', () => {
    expect(offered(2000, 5000).payments.map(({ amount }) => amount)).toEqual([2000, 1000]);
  });

  it('make it paid when they cover the total', () => {
    expect(offered(3000).status).toBe('paid');
    expect(offered(2999).status).toBe('draft');
  });

  it('are not touched when those before them cover the total', () => {
    expect(offered(3000, 1).payments.map(({ voucherId }) => voucherId)).toEqual([501]);
  });

  it('leave a proforma with nothing to pay unpaid', () => {
    const free = made(creating(anEvaluation(wanting({ price: 0 }), withVouchers(100))));
    expect([free.status, free.payments]).toEqual(['draft', []]);
  });

  it('pay what was promised, though more is left on them by now', () => {
    const evaluation = anEvaluation(withVouchers(1000));
    const more = evaluation.vouchers.map((voucher) => ({ ...voucher, available: 2000 }));
    expect(made(creating({ ...evaluation, vouchers: more })).payments).toMatchObject([{ amount: 1000 }]);
  });

  it('that no longer hold what was promised stand against it', () => {
    const evaluation = anEvaluation(withVouchers(1000));
    const less = evaluation.vouchers.map((voucher) => ({ ...voucher, available: 999 }));
    expect(creating({ ...evaluation, vouchers: less })).toEqual(refusals.VOUCHER_NOT_AVAILABLE);
  });

  it('that somebody else holds or has spent stand against it', () => {
    expect(creating(anEvaluation(withVouchers(100, 0)))).toEqual(refusals.VOUCHER_NOT_AVAILABLE);
  });
});
