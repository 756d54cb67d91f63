import { comparableEntries } from './audit-pages.js';
import { Bijection } from './bijection.js';

describe('refund entries of the same second', () => {
  const entry = (refund_of_id: number) => ({
    action: 'refund.change',
    at: '2026-11-01T10:00:00',
    subject_id: 3,
    after: { payments: [{ amount: -100, method: 'Card', refund_of_id }] },
  });
  const edge = { action: 'app.update', at: '2026-11-01T10:00:00' };

  it('have the same order on both sides, even with equal amounts', () => {
    const [left, right] = comparableEntries(
      [edge, entry(10), entry(9), edge],
      [edge, entry(9), entry(10), edge],
      new Bijection(),
    );
    expect(left).toEqual(right);
  });
});
