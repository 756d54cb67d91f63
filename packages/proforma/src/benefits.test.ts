import { aProforma, inStatus, line, paid, paidByVoucher, refund } from '../testing/index.js';
import { pointsEarned, vouchersLetGo } from './benefits.js';
import { FINAL_STATUSES, OPEN_STATUSES, type Proforma } from './proforma.js';

const held = aProforma(line({ qty: 3 }), paidByVoucher(1_000), paid(500));

describe('a proforma that ends', () => {
  it.each(FINAL_STATUSES)('lets go of its vouchers when it is %s', (status) => {
    const after = aProforma(line({ qty: 3 }), paidByVoucher(1_000), paid(500), inStatus(status));
    expect(vouchersLetGo(held, after)).toEqual([{ proformaId: 5, voucherId: 500, spent: 1_000 }]);
  });

  it('leaves of a voucher spent what was not given back', () => {
    const after = aProforma(line(), paidByVoucher(1_000), refund(1, 300), refund(1, 200), inStatus('converted'));
    expect(vouchersLetGo(held, after)).toEqual([{ proformaId: 5, voucherId: 500, spent: 500 }]);
  });

  it('leaves nothing spent of a voucher that was given back whole', () => {
    const after = aProforma(line(), paidByVoucher(1_000), refund(1, 1_000), inStatus('canceled'));
    expect(vouchersLetGo(held, after)).toEqual([{ proformaId: 5, voucherId: 500, spent: 0 }]);
  });
});

describe('a proforma that does not end', () => {
  it.each(OPEN_STATUSES)('keeps its vouchers while it is %s', (status) => {
    const after = aProforma(line({ qty: 3 }), paidByVoucher(1_000), paid(500), inStatus(status));
    expect(vouchersLetGo(held, after)).toEqual([]);
  });

  it('has nothing left to let go of when it has ended before', () => {
    const ended = aProforma(line(), paidByVoucher(1_000), inStatus('canceled'));
    expect(vouchersLetGo(ended, { ...ended, tags: ['new'] })).toEqual([]);
  });
});

describe('points', () => {
  const draft = aProforma(line());
  const converted = (points: number): Proforma => {
    const after = aProforma(line(), inStatus('converted'));
    return { ...after, converted: { payments: [], orderNumber: 'O-2026-12345678', points, isOrderPayable: true } };
  };

  it('are earned once, for the order', () => {
    expect(pointsEarned(draft, converted(7))).toEqual({ orderId: 9, customerId: 77, points: 7 });
    expect(pointsEarned(converted(7), converted(7))).toBeUndefined();
  });

  it('are not earned by a guest, nor before the conversion, nor when there are none', () => {
    const guest = { ...converted(7), buyer: { ...draft.buyer, id: null } };
    expect(pointsEarned(draft, guest)).toBeUndefined();
    expect(pointsEarned(draft, { ...draft, tags: ['new'] })).toBeUndefined();
    expect(pointsEarned(draft, converted(0))).toBeUndefined();
  });
});
