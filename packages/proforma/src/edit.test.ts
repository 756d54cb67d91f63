import { addHours } from '@back-office/kernel';
import { aProforma, withOpenAlert, withComment, inStatus, NOW, withTags } from './testing/index.js';
import { countOpenAlerts } from './alerts.js';
import { edit, type Edit } from './edit.js';
import { FINAL_STATUSES, type Proforma } from './proforma.js';
import { ALERT_NOT_FOUND, ALREADY_FINAL, INVALID_COMMENT, INVALID_TAGS } from './refusals.js';

const RESOLVED = addHours(NOW, -1);

const found = aProforma(
  withTags('old'),
  withComment('as it was'),
  withOpenAlert('refund_failed'),
  withOpenAlert('paid_not_converted', RESOLVED),
  withOpenAlert('refund_failed'),
);

function editing(parts: Edit, proforma = found): ReturnType<typeof edit> {
  return edit(proforma, { ...parts, now: NOW });
}

describe('tags', () => {
  it('replace the old ones in the order given', () => {
    expect(editing({ tags: ['VIP', 'urgent'] })).toEqual({ ...found, tags: ['VIP', 'urgent'], updatedAt: NOW });
    expect(editing({ tags: [] })).toMatchObject({ tags: [] });
  });

  it('are deduplicated', () => {
    expect(editing({ tags: ['b', 'a', 'b', 'B', 'a'] })).toMatchObject({ tags: ['b', 'a', 'B'] });
  });

  const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `tag ${index}`);

  it.each([
    ['fifty', many(50)],
    ['one character', ['x']],
    ['a hundred characters', ['x'.repeat(100)]],
    ['a hundred characters of two units each', ['😀'.repeat(100)]],
    ['spaces', [' ']],
  ])('accept %s', (_, tags) => {
    expect(editing({ tags })).toMatchObject({ tags });
  });

  it.each([
    ['fifty-one', many(51)],
    ['an empty one', ['a', '']],
    ['a hundred and one characters', ['x'.repeat(101)]],
    ['a hundred and one characters of two units each', ['😀'.repeat(101)]],
    ['a number among them', ['a', 1]],
    ['null among them', ['a', null]],
    ['a list among them', [['a']]],
    ['null', null],
    ['one text', 'a,b'],
    ['an object', { 0: 'a', length: 1 }],
    ['half a character', ['\uD83D']],
    ['a NUL', ['a\0']],
  ])('refuse %s', (_, tags) => {
    expect(editing({ tags })).toEqual(INVALID_TAGS);
  });
});

describe('a comment', () => {
  it.each(['Ring twice', '', 'x'.repeat(5000), '😀'.repeat(5000), null])('can be changed', (comment) => {
    expect(editing({ comment })).toEqual({ ...found, comment, updatedAt: NOW });
  });

  it.each([['x'.repeat(5001)], [1], [false], [{}], [['a']], ['a\0'], ['\uDE00']])(
    'is refused when invalid',
    (comment) => {
      expect(editing({ comment })).toEqual(INVALID_COMMENT);
    },
  );
});

describe('alerts', () => {
  it('are resolved by index', () => {
    const next = editing({ alerts: [{ index: 2, resolved: true }] }) as Proforma;
    expect(next.alerts.map((alert) => alert.resolvedAt)).toEqual([null, RESOLVED, NOW]);
    expect(next.updatedAt).toBe(NOW);
    expect(countOpenAlerts(next)).toBe(1);
  });

  it('may be named twice', () => {
    const twice = [
      { index: 0, resolved: true },
      { index: 0, resolved: true },
    ] as const;
    expect((editing({ alerts: twice }) as Proforma).alerts.map((alert) => alert.resolvedAt)).toEqual([
      NOW,
      RESOLVED,
      null,
    ]);
  });

  it('keep the time of their first resolution', () => {
    expect(editing({ alerts: [{ index: 1, resolved: true }] })).toBe(found);
  });

  it.each([3, -1, 1e20, -1e20, 2 ** 53])('refuse the unknown index %p', (index) => {
    const alerts = [
      { index: 0, resolved: true },
      { index, resolved: true },
    ] as const;
    expect(editing({ alerts })).toEqual(ALERT_NOT_FOUND);
  });

  it.each([[[]], [null]])('may be empty: %j', (alerts) => {
    expect(editing({ alerts })).toBe(found);
  });
});

describe('several parts at once', () => {
  it('change together', () => {
    expect(editing({ tags: ['new'], comment: null, alerts: [{ index: 0, resolved: true }] })).toMatchObject({
      tags: ['new'],
      comment: null,
      alerts: [{ resolvedAt: NOW }, { resolvedAt: RESOLVED }, { resolvedAt: null }],
    });
  });

  it('keep the parts that are not sent', () => {
    expect(editing({ comment: 'new' })).toMatchObject({ tags: ['old'] });
    expect(editing({ tags: ['new'] })).toMatchObject({ comment: 'as it was' });
    expect(editing({})).toBe(found);
  });

  it.each([
    ['tags', { tags: 1, comment: 'new', alerts: [{ index: 0, resolved: true }] }, INVALID_TAGS],
    ['a comment', { tags: ['new'], comment: 1, alerts: [{ index: 0, resolved: true }] }, INVALID_COMMENT],
    ['an alert', { tags: ['new'], comment: 'new', alerts: [{ index: 9, resolved: true }] }, ALERT_NOT_FOUND],
    ['everything', { tags: 1, comment: 1, alerts: [{ index: 9, resolved: true }] }, INVALID_TAGS],
    ['comment and alerts', { comment: 1, alerts: [{ index: 9, resolved: true }] }, INVALID_COMMENT],
  ] as const)('are refused as a whole when invalid: %s', (_, parts, refusal) => {
    expect(editing(parts)).toEqual(refusal);
  });
});

describe.each(FINAL_STATUSES)('a proforma that is %s', (status) => {
  const final = { ...found, status };

  it.each([
    [{ tags: ['new'] }],
    [{ comment: 'new' }],
    [{ comment: null }],
    [{ tags: 1 }],
    [{ comment: 1 }],
    [{ tags: ['new'], alerts: [{ index: 0, resolved: true }] }],
    [{ comment: 'new', alerts: [{ index: 9, resolved: true }] }],
  ] as const)('cannot be edited with %j', (parts) => {
    expect(editing(parts, final)).toEqual(ALREADY_FINAL);
  });

  it('can still have its alerts resolved', () => {
    const alerts = [{ index: 0, resolved: true }] as const;
    expect(editing({ alerts }, final)).toMatchObject({
      status,
      alerts: [{ resolvedAt: NOW }, {}, { resolvedAt: null }],
    });
    expect(editing({ alerts: [{ index: 9, resolved: true }] }, final)).toEqual(ALERT_NOT_FOUND);
  });
});

describe('an edit of nothing', () => {
  it('returns the same final proforma', () => {
    const final = aProforma(inStatus('expired'));
    expect(editing({}, final)).toBe(final);
  });
});
