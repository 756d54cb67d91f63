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
  if (currency !== 'RSD' || number === undefined || account.beneficiary === '') return null;
  const name = [account.beneficiary, account.address].filter((part) => part !== '').join(', ');
  const fields = [
    'K:PR',
    'V:01',
    'C:1',
    `R:${number}`,
    `N:${plain(name, QR_LIMITS.name)}`,
    `I:RSD${Math.trunc(amount / 100)},${String(amount % 100).padStart(2, '0')}`,
    `SF:${account.paymentCode === '' ? USUAL_PAYMENT_CODE : account.paymentCode}`,
    // An optional field without content is not allowed (National Bank of Serbia, recommendations, no. 2).
    ...(account.purpose === '' ? [] : [`S:${plain(account.purpose, QR_LIMITS.purpose)}`]),
    `RO:97${reference.replaceAll('-', '')}`,
  ];
  return fields.join('|');
}

/** Serbian account numbers have 18 digits: 3 for the bank, 13 for the account (often written shorter), 2 to check. */
function accountDigits(accountNumber: string): string | undefined {
  const [, bank = '', account = '', check = ''] = /^(\d{3})-(\d{1,13})-(\d{2})$/.exec(accountNumber) ?? [];
  const digits = bank === '' ? accountNumber : bank + account.padStart(13, '0') + check;
  return /^\d{18}$/.test(digits) ? digits : undefined;
}

/** The bar separates fields, so it cannot be part of one. */
function plain(text: string, longest: number): string {
  return [...text.replaceAll(/[|\r\n]+/g, ' ')].slice(0, longest).join('');
}
