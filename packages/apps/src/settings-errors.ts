import { decimalsOf, IS_INVALID, IS_TOO_LONG, toMinor } from '@back-office/kernel';
import type { App } from './app.js';
import type { InvalidSettings } from './apps.js';
import { isTooLong, type SettingsPatch } from './settings-patch.js';

export interface SettingsFacts {
  readonly hasAmounts: boolean;
  readonly hasWarehouse: boolean;
  isAccountNumber(text: string, currency: string): boolean;
}

export function isCurrencyChanged(app: App, next: App): boolean {
  return next.currency !== app.currency;
}

/** Returns the default warehouse that the patch sets; `undefined` when it sets none. */
export function patchedWarehouseCode(next: App, patch: SettingsPatch): string | undefined {
  return patch.default_warehouse_code ? (next.settings.default_warehouse_code ?? undefined) : undefined;
}

function isMinimumKept({ settings }: App, { proforma }: SettingsPatch): boolean {
  return (settings.proforma?.minimum_basket_amount ?? 0) > 0 && proforma?.minimum_basket_amount === undefined;
}

function isUnusableMinimum({ currency, settings }: App): boolean {
  const { minimum_basket_amount: minimum = 0 } = settings.proforma ?? {};
  return toMinor(minimum, decimalsOf(currency)) === undefined;
}

export function settingsErrors(
  app: App,
  next: App,
  patch: SettingsPatch,
  facts: SettingsFacts,
): InvalidSettings['errors'] {
  const errors: Record<string, readonly string[]> = {};
  // Refuses a new currency if the app has amounts or the patch keeps the minimum basket amount: these amounts would
  // get another value.
  if (isCurrencyChanged(app, next) && (facts.hasAmounts || isMinimumKept(next, patch)))
    errors['currency'] = [IS_INVALID];
  if (isUnusableMinimum(next)) errors['proforma.minimum_basket_amount'] = [IS_INVALID];
  if (patch.translations && isTooLong(next.translations)) errors['translations'] = [IS_TOO_LONG];
  const { account_number: account = '' } = next.settings.bank_account ?? {};
  const isAccountChecked = patch.bank_account?.account_number !== undefined || isCurrencyChanged(app, next);
  if (isAccountChecked && account.trim() !== '' && !facts.isAccountNumber(account, next.currency)) {
    errors['bank_account.account_number'] = [IS_INVALID];
  }
  if (patchedWarehouseCode(next, patch) !== undefined && !facts.hasWarehouse) {
    errors['default_warehouse_code'] = [IS_INVALID];
  }
  return errors;
}
