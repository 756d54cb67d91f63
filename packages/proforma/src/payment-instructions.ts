import type { BankAccount } from '@back-office/kernel';
import { NUMBER_LENGTH } from './number.js';

/**
 * Makes the bank reference of a proforma number under model 97 (ISO 7064 MOD 97-10). Two check digits replace the `P`.
 */
export function paymentReference(proformaNumber: string): string {
  const body = proformaNumber.slice(proformaNumber.indexOf('-') + 1);
  const checkDigits = 98n - ((toCheckNumber(body) * 100n) % 97n);
  return `${String(checkDigits).padStart(2, '0')}-${body}`;
}

/**
 * Returns the number of the proforma that a person or a bank statement refers to: by its number, or by its payment
 * reference with or without the model 97. Ignores case, spaces and separators. Returns `undefined` for other text, and
 * for wrong check digits.
 */
export function numberOfReference(text: string): string | undefined {
  const characters = text.replaceAll(/[\s./-]/g, '').toUpperCase();
  const [, year, code] = REFERENCE.exec(characters) ?? [];
  if (year === undefined || code === undefined) return undefined;
  const number = `P-${year}-${code}`;
  const reference = paymentReference(number).replaceAll('-', '');
  return [`P${year}${code}`, reference, `97${reference}`].includes(characters) ? number : undefined;
}

const REFERENCE = new RegExp(`^(?:P|\\d{2}|97\\d{2})(\\d{4})([\\dA-Z]{${NUMBER_LENGTH}})$`);

function toCheckNumber(text: string): bigint {
  return BigInt([...text.replaceAll('-', '')].map((character) => parseInt(character, 36)).join(''));
}

/** Payment code "other transactions of citizens"; the QR code requires a code. */
const DEFAULT_PAYMENT_CODE = '289';

const MAX_QR_LENGTHS = { name: 70, purpose: 35 };

/**
 * Makes the text of an NBS IPS QR code (National Bank of Serbia, "IPS QR", payment slip PR, version 01). `amount` is in
 * minor units. Returns `null` unless the currency is RSD and the account is valid.
 */
export function ipsQrText(account: BankAccount, currency: string, amount: number, reference: string): string | null {
  const number = accountDigits(account.accountNumber);
  const beneficiary = cleanField(account.beneficiary);
  if (currency !== 'RSD' || number === undefined || beneficiary === '') return null;
  const name = [beneficiary, cleanField(account.address)].filter((part) => part !== '').join(', ');
  const purpose = cleanField(account.purpose);
  const fields = [
    'K:PR',
    'V:01',
    'C:1',
    `R:${number}`,
    `N:${truncate(name, MAX_QR_LENGTHS.name)}`,
    `I:RSD${Math.trunc(amount / 100)},${String(amount % 100).padStart(2, '0')}`,
    `SF:${account.paymentCode === '' ? DEFAULT_PAYMENT_CODE : account.paymentCode}`,
    // Omits an empty purpose, because the bank forbids empty optional fields (recommendations, no. 2).
    ...(purpose === '' ? [] : [`S:${truncate(purpose, MAX_QR_LENGTHS.purpose)}`]),
    `RO:97${reference.replaceAll('-', '')}`,
  ];
  return fields.join('|');
}

/**
 * Returns true for a valid account number. RSD requires a Serbian account number or IBAN; other currencies accept any
 * account. Check digits, if any, must be correct.
 */
export function isAccountNumber(input: string, currency: string): boolean {
  const text = withoutPrefix(input);
  if (accountDigits(text) !== undefined) return true;
  if (currency === 'RSD' || DOMESTIC.test(text)) return false;
  if (IBAN_START.test(text)) return isIban(text);
  return /^[\dA-Za-z][\dA-Za-z ./-]*$/.test(text) && /[1-9]/.test(text) && text.replaceAll(/\D/g, '').length >= 4;
}

/** A Serbian account has 3 digits for the bank, up to 13 for the account, and 2 check digits. */
const DOMESTIC = /^(\d{3})-(\d{1,13})-(\d{2})$/;
const IBAN_START = /^[A-Za-z]{2}\d{2}/;

function accountDigits(input: string): string | undefined {
  const accountNumber = withoutPrefix(input);
  const [, bank = '', account = '', check = ''] = DOMESTIC.exec(accountNumber) ?? [];
  const iban = /^RS35/i.test(accountNumber) ? withoutSpaces(accountNumber).slice(4) : accountNumber;
  const digits = bank === '' ? iban : bank + account.padStart(13, '0') + check;
  return /^\d{18}$/.test(digits) && BigInt(digits) % 97n === 1n ? digits : undefined;
}

/** ISO 13616: after its first four characters are moved to the end, a valid IBAN is 1 modulo 97. */
function isIban(text: string): boolean {
  const iban = withoutSpaces(text).toUpperCase();
  return /^[A-Z]{2}\d{2}[\dA-Z]{11,30}$/.test(iban) && toCheckNumber(iban.slice(4) + iban.slice(0, 4)) % 97n === 1n;
}

function withoutPrefix(text: string): string {
  return text.replace(/^IBAN[ :]*/i, '');
}

function withoutSpaces(text: string): string {
  return text.replaceAll(' ', '');
}

/** Replaces vertical bars and white space by single spaces, because bars separate the fields of the QR code. */
function cleanField(text: string): string {
  return text.replaceAll(/[|\s]+/g, ' ').trim();
}

function truncate(text: string, maxLength: number): string {
  return [...text].slice(0, maxLength).join('').trim();
}
