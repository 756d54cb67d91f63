import fc from 'fast-check';
import { proformaNumber } from './number.js';
import { ipsQrText, isAccountNumber, numberOfReference, paymentReference } from './payment-instructions.js';
import type { BankAccount } from '@back-office/kernel';

const account: BankAccount = {
  beneficiary: 'Radnja d.o.o.',
  address: 'Bulevar 1, Novi Sad',
  accountNumber: '160-445-02',
  purpose: 'Kupovina',
  paymentCode: '289',
};

/** Returns 1 for valid check digits. In ISO 7064 MOD 97-10, letters have the values A = 10 to Z = 35. */
function remainder97(text: string): number {
  let remainder = 0;
  for (const character of text) {
    const value = character <= '9' ? Number(character) : character.charCodeAt(0) - 'A'.charCodeAt(0) + 10;
    for (const digit of String(value)) remainder = (remainder * 10 + Number(digit)) % 97;
  }
  return remainder;
}

const picks = fc.array(fc.nat(31), { minLength: 6, maxLength: 6 });

describe('the number of a reference', () => {
  it.each([
    'P-2026-7K2M9Q',
    'p-2026-7k2m9q',
    'P20267K2M9Q',
    '70-2026-7K2M9Q',
    '7020267K2M9Q',
    ' 97 70-2026-7K2M9Q ',
    '977020267K2M9Q',
  ])('is found for %j', (text) => {
    expect(numberOfReference(text)).toBe('P-2026-7K2M9Q');
  });

  it.each([
    '',
    'P-2026',
    '71-2026-7K2M9Q',
    '9771-2026-7K2M9Q',
    'O-2026-7K2M9Q',
    '70-2026-7K2M9QQ',
    '70-2026-7K2M9',
    'č',
  ])('is not found for %j', (text) => {
    expect(numberOfReference(text)).toBeUndefined();
  });

  it('is found for the reference of every number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2000, max: 9999 }), picks, (year, indexes) => {
        const number = proformaNumber(year, () => indexes.shift() ?? 0);
        expect(numberOfReference(paymentReference(number))).toBe(number);
      }),
    );
  });
});

describe('a payment reference', () => {
  it.each([
    ['P-2026-7K2M9Q', '70-2026-7K2M9Q'],
    ['P-2026-000000', '19-2026-000000'],
    ['P-2026-ZZZZZZ', '97-2026-ZZZZZZ'],
    ['P-2026-000038', '02-2026-000038'],
    ['P-2026-000103', '98-2026-000103'],
    // Source: sample code of the National Bank of Serbia, RO:97163220000111111111000.
    ['P-3220000111111111000', '16-3220000111111111000'],
  ])('of %s is %s', (number, reference) => {
    expect(paymentReference(number)).toBe(reference);
  });

  it('has the check digits of ISO 7064 MOD 97-10 for every number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2000, max: 9999 }), picks, (year, indexes) => {
        const remainingIndexes = [...indexes];
        const number = proformaNumber(year, () => remainingIndexes.shift() ?? 0);
        const reference = paymentReference(number);
        expect(reference).toMatch(/^\d\d-/);
        expect(reference.slice(3)).toBe(number.slice(2));
        expect(remainder97(reference.slice(3).replaceAll('-', '') + reference.slice(0, 2))).toBe(1);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the text of an IPS QR code', () => {
  it('has the fields of a payment slip in order', () => {
    expect(ipsQrText(account, 'RSD', 123_456, '70-2026-7K2M9Q')).toBe(
      'K:PR|V:01|C:1|R:160000000000044502|N:Radnja d.o.o., Bulevar 1, Novi Sad|I:RSD1234,56|SF:289|S:Kupovina|RO:9770' +
        '20267K2M9Q',
    );
  });

  it.each([
    [0, 'RSD0,00'],
    [5, 'RSD0,05'],
    [50, 'RSD0,50'],
    [100, 'RSD1,00'],
    [1_000_000_000_000_00, 'RSD1000000000000,00'],
  ])('writes %d minor units as %s', (amount, amountText) => {
    expect(fieldsOf(ipsQrText(account, 'RSD', amount, '70-X'))['I']).toBe(amountText);
  });

  it.each([
    ['160-445-02', '160000000000044502'],
    ['160-1234567890123-12', '160123456789012312'],
    ['RS35160000000000044502', '160000000000044502'],
    ['rs35 1600 0000 0000 0445 02', '160000000000044502'],
    ['160000000000044502', '160000000000044502'],
  ])('writes account %s with 18 digits', (accountNumber, digits) => {
    expect(fieldsOf(ipsQrText({ ...account, accountNumber }, 'RSD', 100, '70-X'))['R']).toBe(digits);
  });

  it('omits a missing address', () => {
    expect(fieldsOf(ipsQrText({ ...account, address: '' }, 'RSD', 100, '70-X'))['N']).toBe('Radnja d.o.o.');
  });

  it('omits the field of a missing purpose', () => {
    expect(ipsQrText({ ...account, purpose: '' }, 'RSD', 100, '70-X')).toMatch(/\|SF:289\|RO:9770X$/);
  });

  it('replaces bars and line breaks inside fields', () => {
    const text = ipsQrText({ ...account, beneficiary: 'A|B\r\nC', purpose: '|D|' }, 'RSD', 100, '70-X');
    expect(fieldsOf(text)['N']).toBe('A B C, Bulevar 1, Novi Sad');
    expect(fieldsOf(text)['S']).toBe('D');
    expect(text?.split('|')).toHaveLength(9);
    expect(text).not.toMatch(/[\r\n]/);
  });

  it.each([' ', '||', ' |\r\n'])('has no empty field for blank texts %j', (blankText) => {
    const text = ipsQrText({ ...account, address: blankText, purpose: blankText }, 'RSD', 100, '70-X');
    expect(fieldsOf(text)['N']).toBe('Radnja d.o.o.');
    expect(Object.keys(fieldsOf(text))).toEqual(['K', 'V', 'C', 'R', 'N', 'I', 'SF', 'RO']);
  });

  it('truncates name and purpose at whole characters', () => {
    const longAccount = { ...account, beneficiary: '😀'.repeat(71), purpose: 'š'.repeat(36) };
    const fields = fieldsOf(ipsQrText(longAccount, 'RSD', 100, '70-X'));
    expect(fields['N']).toBe('😀'.repeat(70));
    expect(fields['S']).toBe('š'.repeat(35));
  });
});

describe('ipsQrText', () => {
  it.each<[string, Partial<BankAccount>]>([
    ['no account', { accountNumber: '' }],
    ['no beneficiary', { beneficiary: '' }],
    ['a beneficiary of blanks', { beneficiary: ' \t' }],
    ['a beneficiary of bars', { beneficiary: '|\n|' }],
    ['an account with invalid check digits', { accountNumber: '160-445-03' }],
    ['an IBAN of another country', { accountNumber: 'DE89370400440532013000' }],
    ['an account of 17 digits', { accountNumber: '16000000000004452' }],
    ['an account of 19 digits', { accountNumber: '1600000000000044521' }],
    ['an account with letters', { accountNumber: '160-44A-21' }],
    ['an account without check digits', { accountNumber: '160-445' }],
    ['a bank of four digits', { accountNumber: '1604-445-2' }],
    ['an account in four parts', { accountNumber: '160-445-21-7' }],
    ['an account longer than 13 digits', { accountNumber: '160-12345678901234-1' }],
    ['an account without a middle', { accountNumber: '160--21' }],
    ['an account with a line break', { accountNumber: '160000000000044502\n' }],
  ])('returns null for %s', (_, invalidFields) => {
    expect(ipsQrText({ ...account, ...invalidFields }, 'RSD', 100, '70-X')).toBeNull();
  });

  it.each(['EUR', 'rsd', ''])('returns null for the currency %p', (currency) => {
    expect(ipsQrText(account, currency, 100, '70-X')).toBeNull();
  });
});

describe('isAccountNumber', () => {
  it.each([
    ['160-445-02', 'RSD', true],
    ['160000000000044502', 'RSD', true],
    ['RS35 1600 0000 0000 0445 02', 'RSD', true],
    ['160-445-03', 'RSD', false],
    ['RS35160000000000044503', 'RSD', false],
    ['DE89370400440532013000', 'RSD', false],
    ['abc', 'RSD', false],
    ['160-445-02', 'EUR', true],
    ['160-445-03', 'EUR', false],
    ['DE89 3704 0044 0532 0130 00', 'EUR', true],
    ['DE88 3704 0044 0532 0130 00', 'EUR', false],
    ['GB82 WEST 1234 5698 7654 32', 'GBP', true],
    ['20-00-00 12345678', 'GBP', true],
    ['021000021/123456789', 'USD', true],
    ['IBAN DE89 3704 0044 0532 0130 00', 'EUR', true],
    ['IBAN DE88 3704 0044 0532 0130 00', 'EUR', false],
    ['iban: RS35160000000000044502', 'RSD', true],
    ['0000', 'EUR', false],
    ['abc', 'EUR', false],
    ['12', 'EUR', false],
    ['1234|5678', 'EUR', false],
  ])('for %s in %s returns %p', (text, currency, expected) => {
    expect(isAccountNumber(text, currency)).toBe(expected);
  });
});

function fieldsOf(text: string | null): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (text ?? '').split('|').map((field) => [field.split(':')[0], field.slice(field.indexOf(':') + 1)]),
  );
}
