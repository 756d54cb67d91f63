import { parseRetryAfter } from './retry-after.js';

const NOW = new Date('2026-11-21T10:00:00Z');

it.each([
  [undefined, null],
  ['120', 120],
  ['0', 0],
  ['99999999999', 99_999_999_999],
  ['Sat, 21 Nov 2026 10:01:30 GMT', 90],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['soon', null],
  ['-5', null],
  ['9'.repeat(400), null],
])('Retry-After %s is read as %s seconds', (value, seconds) => {
  expect(parseRetryAfter(value, NOW)).toBe(seconds);
});
