import { fromMinor, toMinor, type BankAccount } from '@back-office/kernel';
import type { Speech } from './speech.js';

export interface AppSettings {
  readonly proforma: {
    readonly lifetimeHours: number;
    readonly expirePaid: boolean;
    /** Minor units; 0 means no minimum. */
    readonly minimumBasketAmount: number;
  };
  readonly sessions: { readonly idleDays: number; readonly maxDays: number };
  readonly bankAccount: BankAccount;
  /** Amount in the app's currency that earns one loyalty point; 0 means no points. */
  readonly loyaltyPointsPerAmount: number;
  readonly defaultWarehouseCode: string | null;
  readonly media: {
    readonly prefix: string;
    readonly trashRetentionDays: number;
    readonly refusesDeleteInUse: boolean;
    readonly unusedThresholdDays: number;
    readonly servesTrash: boolean;
  };
}

export interface AppContext extends Speech {
  readonly id: number;
  readonly currency: string;
  readonly decimals: number;
  readonly settings: AppSettings;
}

/** Returns a function that converts minor units to an amount in the currency of the app. */
export function money(app: Pick<AppContext, 'decimals'>): (minor: number) => number {
  return (minor) => fromMinor(minor, app.decimals);
}

/** Returns minor units; `undefined` when the amount has too many decimals or is too large. */
export function minorUnitsOf(app: Pick<AppContext, 'decimals'>, amount: number): number | undefined {
  return toMinor(amount, app.decimals);
}
