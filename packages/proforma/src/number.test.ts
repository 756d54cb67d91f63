import fc from 'fast-check';
import { NUMBER_ALPHABET, orderNumber, proformaNumber } from './number.js';

describe('the alphabet of numbers', () => {
  it('is 0-9A-Z without I, L, O and U', () => {
    expect(NUMBER_ALPHABET.split('').sort().join('')).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
    expect(new Set(NUMBER_ALPHABET).size).toBe(32);
  });
});

describe('a proforma number', () => {
  it('consists of P, the year and six characters of the alphabet', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2020, max: 2999 }),
        fc.array(fc.nat(31), { minLength: 6, maxLength: 6 }),
        (year, picks) => {
          const remainingPicks = [...picks];
          const number = proformaNumber(year, () => remainingPicks.shift() ?? -1);
          expect(number).toMatch(/^P-\d{4}-[0-9A-HJKMNP-TV-Z]{6}$/);
          expect(number.slice(2, 6)).toBe(String(year));
          expect(remainingPicks).toEqual([]);
        },
      ),
    );
  });

  it('can have every character at every position', () => {
    for (let position = 0; position < 6; position += 1) {
      const characters = new Set<string | undefined>();
      for (let choice = 0; choice < 32; choice += 1) {
        let lastPosition = -1;
        const number = proformaNumber(2026, () => ((lastPosition += 1) === position ? choice : 0));
        characters.add(number[7 + position]);
      }
      expect(characters.size).toBe(32);
    }
  });

  it('picks each of its six characters among 32', () => {
    const choiceCounts: number[] = [];
    proformaNumber(2026, (choices) => choiceCounts.push(choices) - 1);
    expect(choiceCounts).toEqual([32, 32, 32, 32, 32, 32]);
  });
});

describe('an order number', () => {
  it('consists of O, the year and eight characters', () => {
    expect(orderNumber(2026, (choices) => choices - 1)).toBe('O-2026-ZZZZZZZZ');
    expect(orderNumber(2026, () => 0)).toBe('O-2026-00000000');
  });
});
