import {
  EXPIRING_STATUSES,
  expires,
  FINAL_STATUSES,
  OPEN_STATUSES,
  STATUSES,
  statusColor,
  statusId,
  statusOfId,
  type StatusDecisions,
} from './statuses.js';

describe('the list of statuses', () => {
  it('counts the ids from 1, in the order of the list', () => {
    expect(STATUSES.map(statusId)).toEqual(STATUSES.map((_, index) => index + 1));
    expect(STATUSES.map((status) => statusOfId(statusId(status)))).toEqual(STATUSES);
    expect(() => statusOfId(STATUSES.length + 1)).toThrow('No status has the id');
  });

  it('gives each status a color of its own', () => {
    expect(new Set(STATUSES.map(statusColor)).size).toBe(STATUSES.length);
  });

  it('divides into open and final statuses, and only open ones expire', () => {
    expect([...OPEN_STATUSES, ...FINAL_STATUSES].sort()).toEqual([...STATUSES].sort());
    expect(FINAL_STATUSES).toEqual(['converted', 'canceled', 'expired']);
    expect(EXPIRING_STATUSES.filter((status) => FINAL_STATUSES.includes(status))).toEqual([]);
    expect(expires('draft')).toBe(true);
  });

  it('compiles only with all decisions about a status', () => {
    // @ts-expect-error Whether the status expires is missing.
    const incomplete: StatusDecisions = { name: 'on_hold', id: 9, color: '#000000', isFinal: false };
    expect(incomplete).not.toHaveProperty('expires');
  });
});
