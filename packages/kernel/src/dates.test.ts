import fc from 'fast-check';
import { addHours, formatDateTime, formatOptional, parseMoment } from './dates.js';

const dates = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});

describe('formatDateTime', () => {
  it('formats UTC without offset and fraction', () => {
    expect(formatDateTime(new Date('2026-03-01T00:30:00.999+01:00'))).toBe('2026-02-28T23:30:00');
  });

  it('returns a text that parses to the same second', () => {
    fc.assert(
      fc.property(dates, (date) => {
        const second = Math.floor(date.getTime() / 1000) * 1000;
        expect(parseMoment(formatDateTime(date))).toEqual({ at: new Date(second), isDateOnly: false });
      }),
    );
  });

  it('returns null for null', () => {
    expect(formatOptional(null)).toBeNull();
    expect(formatOptional(new Date('2026-03-01T00:00:00Z'))).toBe('2026-03-01T00:00:00');
  });
});

describe('parseMoment', () => {
  it.each([
    ['2026-03-01T12:30:45', '2026-03-01T12:30:45.000Z'],
    ['2026-03-01T12:30:45Z', '2026-03-01T12:30:45.000Z'],
    ['2026-03-01T12:30:45.5', '2026-03-01T12:30:45.500Z'],
    ['2026-03-01T12:30:45.123Z', '2026-03-01T12:30:45.123Z'],
    ['2026-03-01T12:30:45.123456789Z', '2026-03-01T12:30:45.123Z'],
    ['2026-03-01T12:30:45+02:00', '2026-03-01T10:30:45.000Z'],
    ['2026-03-01T00:30:45.250+01:00', '2026-02-28T23:30:45.250Z'],
    ['2026-12-31T23:30:00-05:30', '2027-01-01T05:00:00.000Z'],
    ['2026-03-01T12:30:45-00:00', '2026-03-01T12:30:45.000Z'],
    ['2026-03-01T12:30', '2026-03-01T12:30:00.000Z'],
    ['2026-03-01t12:30:45z', '2026-03-01T12:30:45.000Z'],
    ['2026-03-01 12:30', '2026-03-01T12:30:00.000Z'],
    ['2026-03-01 12:30:45,25', '2026-03-01T12:30:45.250Z'],
    ['2026-03-01T12:30+02', '2026-03-01T10:30:00.000Z'],
    ['2026-03-01T12:30:45+0200', '2026-03-01T10:30:45.000Z'],
    ['2026-03-01T12:30-0530', '2026-03-01T18:00:00.000Z'],
    ['2026-03-01 12:30:45.5-05:30', '2026-03-01T18:00:45.500Z'],
  ])('parses %s as %s', (text, at) => {
    expect(parseMoment(text)).toEqual({ at: new Date(at), isDateOnly: false });
  });
});

describe('parseMoment of a date without time', () => {
  it('returns midnight UTC', () => {
    expect(parseMoment('2026-03-01')).toEqual({ at: new Date('2026-03-01T00:00:00Z'), isDateOnly: true });
  });
});

describe('parseMoment of the last day of February', () => {
  it.each(['2024-02-29', '2000-02-29', '0004-02-29', '2024-02-29T10:00:00+14:00'])('accepts %s', (text) => {
    expect(parseMoment(text)).toBeDefined();
  });

  it.each(['2026-02-29', '1900-02-29', '2100-02-29', '2026-02-30', '2024-02-30', '2026-02-30T10:00:00Z'])(
    'rejects %s',
    (text) => {
      expect(parseMoment(text)).toBeUndefined();
    },
  );

  it('follows the leap year rule', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), (year) => {
        const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
        expect(parseMoment(`${String(year).padStart(4, '0')}-02-29`) !== undefined).toBe(isLeap);
      }),
    );
  });
});

describe('parseMoment of days outside their month', () => {
  it.each(['2026-04-31', '2026-06-31', '2026-01-32', '2026-01-00', '2026-00-10', '2026-13-01', '2026-11-31T10:00:00'])(
    'rejects %s',
    (text) => {
      expect(parseMoment(text)).toBeUndefined();
    },
  );
});

describe('parseMoment of years outside 0001 to 9999', () => {
  it.each([
    ['year 0000', '0000-01-01'],
    ['year 0000 with a time', '0000-12-31T23:59:59Z'],
    ['year 0000 with an offset that leads into 0001', '0000-12-31T23:59:59-01:00'],
    ['an expanded year', '+002026-01-01T00:00:00Z'],
    ['a negative year', '-000001-01-01'],
    ['a year of five digits', '10000-01-01'],
    ['an offset that leads out of year 9999', '9999-12-31T23:59:59-01:00'],
    ['an offset that leads back into year 0000', '0001-01-01T00:00:00+01:00'],
  ])('rejects %s', (_, text) => {
    expect(parseMoment(text)).toBeUndefined();
  });

  it('accepts the first second of 0001 and the last second of 9999', () => {
    expect(parseMoment('9999-12-31T23:59:59')).toBeDefined();
    expect(parseMoment('0001-01-01T00:00:00')).toBeDefined();
  });
});

describe('parseMoment of an invalid datetime', () => {
  it.each([
    '',
    'yesterday',
    '2026',
    '2026-03',
    '2026-3-1',
    '01.03.2026',
    '2026/03/01',
    '2026-03-01T',
    '2026-03-01T12',
    '2026-03-01T12:30:45.',
    '2026-03-01T12:30:45.1234567891Z',
    '2026-03-01T12:30:45+24:00',
    '2026-03-01T12:30:45+02:60',
    '2026-03-01T25:00:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T24:00',
    '2026-W09-7',
    '2026-060',
    '20260301',
    '20260301T123045Z',
    '2026-03-01T1230',
    '2026-03-01T12:30:45+2',
    '2026-03-01T12:30:45+02:',
    '2026-03-01  12:30',
    '2026-03-01 Z',
    '2026-03-01T12:60:00Z',
    '2026-03-01T12:30:60Z',
    '2026-03-01Z',
    ' 2026-03-01',
    '2026-03-01\n',
    '2026-03-01T12:30:45 GMT',
    '٢٠٢٦-٠٣-٠١',
  ])('rejects %j', (text) => {
    expect(parseMoment(text)).toBeUndefined();
  });
});

describe('the time zone of the test run', () => {
  it('differs from UTC', () => {
    expect(new Date('2026-07-01T00:00:00Z').getTimezoneOffset()).not.toBe(0);
  });
});

describe('addHours', () => {
  it('crosses midnight and does not change its argument', () => {
    const start = new Date('2026-02-28T23:00:00Z');
    expect(addHours(start, 72)).toEqual(new Date('2026-03-03T23:00:00Z'));
    expect(addHours(start, 0.5)).toEqual(new Date('2026-02-28T23:30:00Z'));
    expect(start).toEqual(new Date('2026-02-28T23:00:00Z'));
  });
});
