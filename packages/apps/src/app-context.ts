import { fromMinor, toMinor, type BankAccount } from '@back-office/kernel';
import type { Speech } from './speech.js';

export interface AppSettings {
  readonly proforma: {
    readonly lifetimeHours: number;
    readonly expirePaid: boolean;
    /** Minor units; 0 is none. */
    readonly minimumBasketAmount: number;
  };
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

/** The parts of the calling app that requests need; read with the token. */
export interface AppContext extends Speech {
  readonly id: number;
  readonly currency: string;
  readonly decimals: number;
  readonly settings: AppSettings;
}

/** Returns a function that converts minor units to the currency. */
export function money(app: Pick<AppContext, 'decimals'>): (minor: number) => number {
  return (minor) => fromMinor(minor, app.decimals);
}

/** Converts a sent amount to minor units; `undefined` when the currency cannot express it. */
export function minorOf(app: Pick<AppContext, 'decimals'>, amount: number): number | undefined {
  return toMinor(amount, app.decimals);
}
