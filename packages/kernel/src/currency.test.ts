import { currencyNumber, decimalsOf, isCurrency } from './currency.js';

describe('a currency', () => {
  it.each([
    ['RSD', 941, 2],
    ['EUR', 978, 2],
    ['USD', 840, 2],
    ['BAM', 977, 2],
    ['HUF', 348, 2],
    ['JPY', 392, 0],
    ['KRW', 410, 0],
    ['ISK', 352, 0],
    ['KWD', 414, 3],
    ['BHD', 48, 3],
    ['TND', 788, 3],
  ])('%s has the ISO 4217 number %d and %d decimals', (code, number, decimals) => {
    expect(isCurrency(code)).toBe(true);
    expect(currencyNumber(code)).toBe(number);
    expect(decimalsOf(code)).toBe(decimals);
  });
});

describe('an unknown currency', () => {
  it.each(['', 'rsd', 'XYZ', 'toString', 'constructor', '__proto__'])('%j has number 0 and 2 decimals', (code) => {
    expect(isCurrency(code)).toBe(false);
    expect(currencyNumber(code)).toBe(0);
    expect(decimalsOf(code)).toBe(2);
  });
});
