import { addHours } from '@back-office/kernel';
import { aProforma, withAlertOfKind, withComment, inStatus, NOW, withTags } from './testing/index.js';
import { countOpenAlerts } from './alerts.js';
import { edit, type Edit } from './edit.js';
import type { Proforma } from './proforma.js';
import { FINAL_STATUSES } from './statuses.js';
import { ALERT_NOT_FOUND, ALREADY_FINAL, INVALID_COMMENT, INVALID_TAGS } from './refusals.js';

const RESOLVED_AT = addHours(NOW, -1);

const alertedProforma = aProforma(
  withTags('old'),
  withComment('as it was'),
  withAlertOfKind('refund_failed'),
  withAlertOfKind('paid_not_converted', RESOLVED_AT),
  withAlertOfKind('refund_failed'),
);

function editWith(parts: Edit, proforma = alertedProforma): ReturnType<typeof edit> {
  return edit(proforma, { ...parts, now: NOW });
}

describe('an edit of the tags of a proforma', () => {
  it('replaces the old tags in the given order', () => {
    expect(editWith({ tags: ['VIP', 'urgent'] })).toEqual({
      ...alertedProforma,
      tags: ['VIP', 'urgent'],
      updatedAt: NOW,
    });
    expect(editWith({ tags: [] })).toMatchObject({ tags: [] });
  });

  it('removes duplicates', () => {
    expect(editWith({ tags: ['b', 'a', 'b', 'B', 'a'] })).toMatchObject({ tags: ['b', 'a', 'B'] });
  });

  const makeTags = (count: number): string[] => Array.from({ length: count }, (_, index) => `tag ${index}`);

  it.each([
    ['fifty', makeTags(50)],
    ['one character', ['x']],
    ['a hundred characters', ['x'.repeat(100)]],
    ['a hundred characters of two units each', ['😀'.repeat(100)]],
    ['spaces', [' ']],
  ])('accepts %s', (_, tags) => {
    expect(editWith({ tags })).toMatchObject({ tags });
  });

  it.each([
    ['fifty-one', makeTags(51)],
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
  ])('refuses %s', (_, tags) => {
    expect(editWith({ tags })).toEqual(INVALID_TAGS);
  });
});

describe('a comment on a proforma', () => {
  it.each(['Ring twice', '', 'x'.repeat(5000), '😀'.repeat(5000), null])(
    'can be changed to a valid text: case %#',
    (comment) => {
      expect(editWith({ comment })).toEqual({ ...alertedProforma, comment, updatedAt: NOW });
    },
  );

  it.each([['x'.repeat(5001)], [1], [false], [{}], [['a']], ['a\0'], ['\uDE00']])(
    'is refused when invalid: case %#',
    (comment) => {
      expect(editWith({ comment })).toEqual(INVALID_COMMENT);
    },
  );
});

describe('an edit of the alerts of a proforma', () => {
  it('resolves alerts by index', () => {
    const next = editWith({ alerts: [{ index: 2, resolved: true }] }) as Proforma;
    expect(next.alerts.map((alert) => alert.resolvedAt)).toEqual([null, RESOLVED_AT, NOW]);
    expect(next.updatedAt).toBe(NOW);
    expect(countOpenAlerts(next)).toBe(1);
  });

  it('accepts the same alert twice', () => {
    const repeatedResolutions = [
      { index: 0, resolved: true },
      { index: 0, resolved: true },
    ] as const;
    expect((editWith({ alerts: repeatedResolutions }) as Proforma).alerts.map((alert) => alert.resolvedAt)).toEqual([
      NOW,
      RESOLVED_AT,
      null,
    ]);
  });

  it('keeps the time of the first resolution', () => {
    expect(editWith({ alerts: [{ index: 1, resolved: true }] })).toBe(alertedProforma);
  });

  it.each([3, -1, 1e20, -1e20, 2 ** 53])('refuses the unknown index %p', (index) => {
    const alerts = [
      { index: 0, resolved: true },
      { index, resolved: true },
    ] as const;
    expect(editWith({ alerts })).toEqual(ALERT_NOT_FOUND);
  });

  it.each([[[]], [null]])('may have an empty list or null: %j', (alerts) => {
    expect(editWith({ alerts })).toBe(alertedProforma);
  });
});

describe('an edit of several parts of a proforma', () => {
  it('changes all of them', () => {
    expect(editWith({ tags: ['new'], comment: null, alerts: [{ index: 0, resolved: true }] })).toMatchObject({
      tags: ['new'],
      comment: null,
      alerts: [{ resolvedAt: NOW }, { resolvedAt: RESOLVED_AT }, { resolvedAt: null }],
    });
  });

  it('keeps the parts that are not sent', () => {
    expect(editWith({ comment: 'new' })).toMatchObject({ tags: ['old'] });
    expect(editWith({ tags: ['new'] })).toMatchObject({ comment: 'as it was' });
    expect(editWith({})).toBe(alertedProforma);
  });

  it('changes nothing when all values equal the stored ones', () => {
    expect(editWith({ tags: ['old'], comment: 'as it was' })).toBe(alertedProforma);
  });

  it.each([
    ['tags', { tags: 1, comment: 'new', alerts: [{ index: 0, resolved: true }] }, INVALID_TAGS],
    ['a comment', { tags: ['new'], comment: 1, alerts: [{ index: 0, resolved: true }] }, INVALID_COMMENT],
    ['an alert', { tags: ['new'], comment: 'new', alerts: [{ index: 9, resolved: true }] }, ALERT_NOT_FOUND],
    ['everything', { tags: 1, comment: 1, alerts: [{ index: 9, resolved: true }] }, INVALID_TAGS],
    ['comment and alerts', { comment: 1, alerts: [{ index: 9, resolved: true }] }, INVALID_COMMENT],
  ] as const)('is refused as a whole when one part is invalid: %s', (_, parts, refusal) => {
    expect(editWith(parts)).toEqual(refusal);
  });
});

describe.each(FINAL_STATUSES)('a proforma that is %s', (status) => {
  const finalProforma = { ...alertedProforma, status };

  it.each([
    [{ tags: ['new'] }],
    [{ comment: 'new' }],
    [{ comment: null }],
    [{ tags: 1 }],
    [{ comment: 1 }],
    [{ tags: ['new'], alerts: [{ index: 0, resolved: true }] }],
    [{ comment: 'new', alerts: [{ index: 9, resolved: true }] }],
  ] as const)('cannot be edited with %j', (parts) => {
    expect(editWith(parts, finalProforma)).toEqual(ALREADY_FINAL);
  });

  it('can still have its alerts resolved', () => {
    const alerts = [{ index: 0, resolved: true }] as const;
    expect(editWith({ alerts }, finalProforma)).toMatchObject({
      status,
      alerts: [{ resolvedAt: NOW }, {}, { resolvedAt: null }],
    });
    expect(editWith({ alerts: [{ index: 9, resolved: true }] }, finalProforma)).toEqual(ALERT_NOT_FOUND);
  });
});

describe('an empty edit of a final proforma', () => {
  it('returns the same proforma', () => {
    const finalProforma = aProforma(inStatus('expired'));
    expect(editWith({}, finalProforma)).toBe(finalProforma);
  });
});
