import { aProforma, inStatus, line, bankPayment, voucherPayment, refund } from './testing/index.js';
import { earnedPoints, releasedVouchers } from './benefits.js';
import type { Proforma } from './proforma.js';
import { FINAL_STATUSES, OPEN_STATUSES } from './statuses.js';

const proformaWithVoucher = aProforma(line({ qty: 3 }), voucherPayment(1_000), bankPayment(500));

describe('releasedVouchers', () => {
  it.each(FINAL_STATUSES)('releases the vouchers when the proforma is %s', (status) => {
    const after = aProforma(line({ qty: 3 }), voucherPayment(1_000), bankPayment(500), inStatus(status));
    expect(releasedVouchers(proformaWithVoucher, after)).toEqual([{ proformaId: 5, voucherId: 500, spent: 1_000 }]);
  });

  it('subtracts refunds from the spent amount', () => {
    const after = aProforma(line(), voucherPayment(1_000), refund(1, 300), refund(1, 200), inStatus('converted'));
    expect(releasedVouchers(proformaWithVoucher, after)).toEqual([{ proformaId: 5, voucherId: 500, spent: 500 }]);
  });

  it('counts nothing as spent from a fully refunded voucher', () => {
    const after = aProforma(line(), voucherPayment(1_000), refund(1, 1_000), inStatus('canceled'));
    expect(releasedVouchers(proformaWithVoucher, after)).toEqual([{ proformaId: 5, voucherId: 500, spent: 0 }]);
  });

  it.each(OPEN_STATUSES)('keeps the vouchers while the proforma is %s', (status) => {
    const after = aProforma(line({ qty: 3 }), voucherPayment(1_000), bankPayment(500), inStatus(status));
    expect(releasedVouchers(proformaWithVoucher, after)).toEqual([]);
  });

  it('releases nothing a second time', () => {
    const canceledProforma = aProforma(line(), voucherPayment(1_000), inStatus('canceled'));
    expect(releasedVouchers(canceledProforma, { ...canceledProforma, tags: ['new'] })).toEqual([]);
  });
});

describe('earnedPoints', () => {
  const draft = aProforma(line());
  const convertedWith = (points: number): Proforma => {
    const after = aProforma(line(), inStatus('converted'));
    return {
      ...after,
      converted: {
        payments: [],
        orderNumber: 'O-2026-12345678',
        points,
        isOrderPayable: true,
        isOrderCanceled: false,
        orderParts: null,
      },
    };
  };

  it('returns the loyalty points once, at conversion', () => {
    expect(earnedPoints(draft, convertedWith(7))).toEqual({ orderId: 9, customerId: 77, points: 7 });
    expect(earnedPoints(convertedWith(7), convertedWith(7))).toBeUndefined();
  });

  it('is undefined for guests, before conversion, and for 0 points', () => {
    const guest = { ...convertedWith(7), buyer: { ...draft.buyer, id: null } };
    expect(earnedPoints(draft, guest)).toBeUndefined();
    expect(earnedPoints(draft, { ...draft, tags: ['new'] })).toBeUndefined();
    expect(earnedPoints(draft, convertedWith(0))).toBeUndefined();
  });
});
