/** A bank account as set up for the app; every part may still be empty. */
export interface BankAccount {
  readonly beneficiary: string;
  readonly address: string;
  readonly accountNumber: string;
  readonly purpose: string;
  readonly paymentCode: string;
}

/**
 * The bank reference of a proforma number under model 97 (ISO 7064 MOD 97-10):
 * `P-2026-7K2M9Q` becomes `KK-2026-7K2M9Q`, KK being the two check digits.
 */
export function paymentReference(proformaNumber: string): string {
  const body = proformaNumber.slice(proformaNumber.indexOf('-') + 1);
  const check = 98n - ((asNumber(body) * 100n) % 97n);
  return `${String(check).padStart(2, '0')}-${body}`;
}

/** Letters count as numbers, A = 10 … Z = 35; hyphens do not count. */
function asNumber(text: string): bigint {
  return BigInt([...text.replaceAll('-', '')].map((character) => parseInt(character, 36)).join(''));
}

/** Other transactions of citizens. The code is mandatory, and a shop that sells to them seldom needs another. */
const USUAL_PAYMENT_CODE = '289';

const QR_LIMITS = { name: 70, purpose: 35 };

/**
 * Text of an NBS IPS QR code (National Bank of Serbia, "IPS QR", payment slip PR, version 01).
 * `amount` is in minor units; `null` unless the currency is RSD and the account is set.
 */
export function ipsQrText(account: BankAccount, currency: string, amount: number, reference: string): string | null {
  const number = accountDigits(account.accountNumber);
  const beneficiary = plain(account.beneficiary);
  if (currency !== 'RSD' || number === undefined || beneficiary === '') return null;
  const name = [beneficiary, plain(account.address)].filter((part) => part !== '').join(', ');
  const purpose = plain(account.purpose);
  const fields = [
    'K:PR',
    'V:01',
    'C:1',
    `R:${number}`,
    `N:${cut(name, QR_LIMITS.name)}`,
    `I:RSD${Math.trunc(amount / 100)},${String(amount % 100).padStart(2, '0')}`,
    `SF:${account.paymentCode === '' ? USUAL_PAYMENT_CODE : account.paymentCode}`,
    // An optional field without content is not allowed (National Bank of Serbia, recommendations, no. 2).
    ...(purpose === '' ? [] : [`S:${cut(purpose, QR_LIMITS.purpose)}`]),
    `RO:97${reference.replaceAll('-', '')}`,
  ];
  return fields.join('|');
}

/**
 * Whether money in the currency can be sent to the account: in RSD a Serbian account or its IBAN, in other currencies
 * any number; check digits, where the number has them, must be right.
 */
export function isAccountNumber(written: string, currency: string): boolean {
  const text = withoutPrefix(written);
  if (accountDigits(text) !== undefined) return true;
  if (currency === 'RSD' || DOMESTIC.test(text)) return false;
  if (IBAN_START.test(text)) return isIban(text);
  return /^[\dA-Za-z][\dA-Za-z ./-]*$/.test(text) && /[1-9]/.test(text) && text.replaceAll(/\D/g, '').length >= 4;
}

/** A Serbian account as people write it: 3 digits for the bank, up to 13 for the account, 2 to check. */
const DOMESTIC = /^(\d{3})-(\d{1,13})-(\d{2})$/;
const IBAN_START = /^[A-Za-z]{2}\d{2}/;

/** The 18 digits of a Serbian account, also of one written as IBAN; `undefined` when its check digits are wrong. */
function accountDigits(written: string): string | undefined {
  const accountNumber = withoutPrefix(written);
  const [, bank = '', account = '', check = ''] = DOMESTIC.exec(accountNumber) ?? [];
  const iban = /^RS35/i.test(accountNumber) ? withoutSpaces(accountNumber).slice(4) : accountNumber;
  const digits = bank === '' ? iban : bank + account.padStart(13, '0') + check;
  return /^\d{18}$/.test(digits) && BigInt(digits) % 97n === 1n ? digits : undefined;
}

/** ISO 13616: with its first four characters at the end the number leaves 1 when divided by 97. */
function isIban(text: string): boolean {
  const iban = withoutSpaces(text).toUpperCase();
  return /^[A-Z]{2}\d{2}[\dA-Z]{11,30}$/.test(iban) && asNumber(iban.slice(4) + iban.slice(0, 4)) % 97n === 1n;
}

function withoutPrefix(text: string): string {
  return text.replace(/^IBAN[ :]*/i, '');
}

function withoutSpaces(text: string): string {
  return text.replaceAll(' ', '');
}

/** The bar separates fields, so it cannot be part of one. */
function plain(text: string): string {
  return text.replaceAll(/[|\s]+/g, ' ').trim();
}

function cut(text: string, length: number): string {
  return [...text].slice(0, length).join('').trim();
}
