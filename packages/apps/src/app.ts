import { decimalsOf, toMinor } from '@back-office/kernel';
import type { AppContext } from './app-context.js';
import { speechOf, type Translations } from './speech.js';

export const DEFAULT_EVALUATION_RETENTION_DAYS = 30;
const DEFAULT_IDLE_DAYS = 30;
const DEFAULT_MAX_SESSION_DAYS = 90;
export const DEFAULT_AUDIT_RETENTION_DAYS = 400;
export const DEFAULT_EVENT_RETENTION_DAYS = 30;

export interface CompleteSettings {
  readonly proforma: {
    readonly lifetime_hours: number;
    readonly expire_paid: boolean;
    /** Amount in the app's currency; 0 means no minimum. */
    readonly minimum_basket_amount: number;
  };
  readonly evaluation: {
    /** Evaluations without a proforma are removed after this many days. */
    readonly retention_days: number;
  };
  readonly media: {
    readonly prefix: string;
    readonly trash_retention_days: number;
    readonly refuse_delete_in_use: boolean;
    readonly unused_threshold_days: number;
    readonly auto_hide_unused_days: number | null;
    readonly serve_trash: boolean;
  };
  readonly bank_account: {
    readonly beneficiary: string;
    readonly address: string;
    readonly account_number: string;
    readonly purpose: string;
    readonly payment_code: string;
  };
  readonly loyalty: { readonly points_per_amount: number };
  readonly audit: { readonly retention_days: number };
  readonly events: { readonly retention_days: number };
  readonly sessions: {
    /** A session without calls ends after this many days. */
    readonly idle_days: number;
    readonly max_days: number;
  };
  readonly default_warehouse_code: string | null;
}

export interface EarlierRetention {
  /** ISO 8601. */
  readonly until: string;
  readonly days: number;
}

export interface StoredSettings {
  readonly proforma?: Partial<CompleteSettings['proforma']>;
  readonly evaluation?: Partial<CompleteSettings['evaluation']>;
  readonly media?: Partial<CompleteSettings['media']>;
  readonly bank_account?: Partial<CompleteSettings['bank_account']>;
  readonly loyalty?: Partial<CompleteSettings['loyalty']>;
  readonly audit?: Partial<CompleteSettings['audit']>;
  /** Longer retentions of the audit log that still count for entries written before `until`. Not shown. */
  readonly earlier_audit?: readonly EarlierRetention[];
  readonly events?: Partial<CompleteSettings['events']>;
  readonly sessions?: Partial<CompleteSettings['sessions']>;
  readonly default_warehouse_code?: string | null;
}

export interface App {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly default_language: string;
  readonly translations: Translations;
  readonly settings: StoredSettings;
  readonly media_prefix: string;
}

/** Returns the settings of the app, with defaults for those that it has not set. */
export function completeSettings({ settings, media_prefix: prefix }: App): CompleteSettings {
  return {
    proforma: { lifetime_hours: 72, expire_paid: false, minimum_basket_amount: 0, ...settings.proforma },
    evaluation: { retention_days: DEFAULT_EVALUATION_RETENTION_DAYS, ...settings.evaluation },
    media: {
      trash_retention_days: 30,
      refuse_delete_in_use: false,
      unused_threshold_days: 30,
      auto_hide_unused_days: null,
      serve_trash: true,
      ...settings.media,
      prefix,
    },
    bank_account: {
      beneficiary: '',
      address: '',
      account_number: '',
      purpose: '',
      payment_code: '',
      ...settings.bank_account,
    },
    loyalty: { points_per_amount: 0, ...settings.loyalty },
    audit: { retention_days: DEFAULT_AUDIT_RETENTION_DAYS, ...settings.audit },
    events: { retention_days: DEFAULT_EVENT_RETENTION_DAYS, ...settings.events },
    sessions: { idle_days: DEFAULT_IDLE_DAYS, max_days: DEFAULT_MAX_SESSION_DAYS, ...settings.sessions },
    default_warehouse_code: settings.default_warehouse_code ?? null,
  };
}

export function contextOf(app: App, language: string): AppContext {
  const settings = completeSettings(app);
  const { bank_account: account, proforma, media } = settings;
  const decimals = decimalsOf(app.currency);
  return {
    id: app.id,
    currency: app.currency,
    decimals,
    settings: {
      proforma: {
        lifetimeHours: proforma.lifetime_hours,
        expirePaid: proforma.expire_paid,
        minimumBasketAmount: toMinor(proforma.minimum_basket_amount, decimals) ?? 0,
      },
      bankAccount: {
        beneficiary: account.beneficiary,
        address: account.address,
        accountNumber: account.account_number,
        purpose: account.purpose,
        paymentCode: account.payment_code,
      },
      sessions: { idleDays: settings.sessions.idle_days, maxDays: settings.sessions.max_days },
      loyaltyPointsPerAmount: settings.loyalty.points_per_amount,
      defaultWarehouseCode: settings.default_warehouse_code,
      media: {
        prefix: media.prefix,
        trashRetentionDays: media.trash_retention_days,
        refusesDeleteInUse: media.refuse_delete_in_use,
        unusedThresholdDays: media.unused_threshold_days,
        servesTrash: media.serve_trash,
      },
    },
    ...speechOf(app.translations, language),
  };
}
