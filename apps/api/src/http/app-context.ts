import { fromMinor, toMinor } from '@back-office/kernel';
import type { BankAccount } from '@back-office/proforma';
import type { Speech } from './speech.js';

export interface AppSettings {
  readonly proforma: { readonly lifetimeHours: number; readonly expirePaid: boolean };
  readonly bankAccount: BankAccount;
  /** Amount of the total, in the currency, that earns one loyalty point; 0 earns none. */
  readonly loyaltyPointsPerAmount: number;
  readonly defaultWarehouseCode: string | null;
  readonly media: {
    /** First segment of every key of the app. */
    readonly prefix: string;
    readonly trashRetentionDays: number;
    readonly refusesDeleteInUse: boolean;
    readonly unusedThresholdDays: number;
  };
}

/** The calling app, as far as requests need it: read with the token, passed on as an argument. */
export interface AppContext extends Speech {
  readonly id: number;
  readonly currency: string;
  readonly decimals: number;
  readonly settings: AppSettings;
}

/** Amounts as clients read them. */
export function money(app: Pick<AppContext, 'decimals'>): (minor: number) => number {
  return (minor) => fromMinor(minor, app.decimals);
}

/** An amount as a client sent it, in minor units; `undefined` when the currency cannot express it. */
export function minorOf(app: Pick<AppContext, 'decimals'>, amount: number): number | undefined {
  return toMinor(amount, app.decimals);
}
