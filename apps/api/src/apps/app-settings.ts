import { isBlank, isCurrency, isSound, lengthOf, LONGEST_STRING } from '@back-office/kernel';
import {
  Flag,
  IS_INVALID,
  judgeText,
  JudgedBy,
  MALFORMED,
  Nested,
  Text,
  Whole,
  type Judge,
} from '../http/request-fields.js';
import { isAccountNumber } from '@back-office/proforma';
import { anyObject, integer, named, nullable, number, record, text, truth, type Of } from '../http/shapes.js';
import type { Translations } from '../http/speech.js';

export const AppSettingsShape = named('AppSettings', {
  name: text,
  currency: text,
  default_language: text,
  translations: anyObject,
  proforma: record({ lifetime_hours: number, expire_paid: truth }),
  media: record({
    prefix: text,
    trash_retention_days: integer,
    refuse_delete_in_use: truth,
    unused_threshold_days: integer,
    auto_hide_unused_days: nullable(integer),
  }),
  bank_account: record({
    beneficiary: text,
    address: text,
    account_number: text,
    purpose: text,
    payment_code: text,
  }),
  loyalty: record({ points_per_amount: number }),
  default_warehouse_code: nullable(text),
});
export type AppSettingsOut = Of<typeof AppSettingsShape>;

/** What the app's row keeps; parts that were never set are absent. */
export interface StoredSettings {
  readonly proforma?: Partial<AppSettingsOut['proforma']>;
  readonly media?: Partial<AppSettingsOut['media']>;
  readonly bank_account?: Partial<AppSettingsOut['bank_account']>;
  readonly loyalty?: Partial<AppSettingsOut['loyalty']>;
  readonly default_warehouse_code?: string | null;
}

export interface AppRow {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly default_language: string;
  readonly translations: Translations;
  readonly settings: StoredSettings;
  readonly media_prefix: string;
}

export function presentSettings(app: AppRow): AppSettingsOut {
  const { settings } = app;
  return {
    name: app.name,
    currency: app.currency,
    default_language: app.default_language,
    translations: app.translations,
    proforma: { lifetime_hours: 72, expire_paid: false, ...settings.proforma },
    media: {
      trash_retention_days: 30,
      refuse_delete_in_use: false,
      unused_threshold_days: 30,
      auto_hide_unused_days: null,
      ...settings.media,
      prefix: app.media_prefix,
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
    default_warehouse_code: settings.default_warehouse_code ?? null,
  };
}

type TranslationsPatch = Readonly<Record<string, Readonly<Record<string, string | null>>>>;

const LONGEST_SENTENCE = 1_000;
const MOST_BYTES_OF_TRANSLATIONS = 128 * 1024;
const TRANSLATIONS = {
  type: 'object' as const,
  additionalProperties: {
    type: 'object' as const,
    additionalProperties: { type: ['string', 'null'] as never, maxLength: LONGEST_SENTENCE },
  },
};

const LONGEST_LIFETIME_HOURS = 24 * 366;
const MOST_DAYS = 36_500;
const optional = true;

class ProformaSettings {
  @Whole({ min: 1, max: LONGEST_LIFETIME_HOURS, optional }) lifetime_hours?: number | null;
  @Flag({ optional }) expire_paid?: boolean | null;
}

/** Made with the app, and part of every URL since. */
const judgePrefix: Judge = (value) => (typeof value === 'string' ? IS_INVALID : MALFORMED);

class MediaSettings {
  @JudgedBy(judgePrefix, { type: 'string', enum: [] }, { optional }) prefix?: string | null;
  @Whole({ min: 0, max: MOST_DAYS, optional }) trash_retention_days?: number | null;
  @Flag({ optional }) refuse_delete_in_use?: boolean | null;
  @Whole({ min: 0, max: MOST_DAYS, optional }) unused_threshold_days?: number | null;
  @Whole({ min: 1, max: MOST_DAYS, optional }) auto_hide_unused_days?: number | null;
}

/** Codes of the National Bank of Serbia: cash (1) or transfer (2), then what it is for (20 to 90). */
const PAYMENT_CODE = /^([12]([2-8]\d|90))?$/;

const MAX_ACCOUNT_LENGTH = 34;

/** Whether it is an account in any currency; whether it is one in the app's is known with the app. */
const judgeAccount: Judge = (value) => {
  const wrong = judgeText(value, MAX_ACCOUNT_LENGTH, true);
  if (wrong !== undefined || isBlank(String(value))) return wrong;
  return ['RSD', 'EUR'].some((currency) => isAccountNumber(String(value), currency)) ? undefined : IS_INVALID;
};

class BankAccountSettings {
  @Text({ max: 70, optional }) beneficiary?: string | null;
  @Text({ max: 70, optional }) address?: string | null;
  @JudgedBy(judgeAccount, { type: 'string', maxLength: MAX_ACCOUNT_LENGTH }, { optional }) account_number?:
    string | null;
  @Text({ max: 140, optional }) purpose?: string | null;
  @Text({ pattern: PAYMENT_CODE, optional }) payment_code?: string | null;
}

class LoyaltySettings {
  @Whole({ min: 0, max: 1_000_000_000, optional }) points_per_amount?: number | null;
}

/** Language tags as in `sr` and `sr-Latn-RS`. */
export const LANGUAGE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;

/** Sentences by language and key; a null takes a sentence out. */
const judgeTranslations: Judge = (value) => {
  if (!isRecord(value) || !Object.values(value).every(isRecord)) return MALFORMED;
  const sentences = Object.values(value).flatMap((of) => Object.entries(of as object) as [string, unknown][]);
  if (sentences.some(([, sentence]) => sentence !== null && typeof sentence !== 'string')) return MALFORMED;
  const names = [...Object.keys(value), ...sentences.map(([key]) => key)];
  const fits = names.every(isName) && sentences.every(([, sentence]) => sentence === null || isSentence(sentence));
  return fits ? undefined : IS_INVALID;
};

const judgeCurrency: Judge = (value) =>
  judgeText(value, 3, true) ?? (isCurrency(String(value)) ? undefined : IS_INVALID);

/** Only what is sent changes; a null puts the default back. */
export class PatchSettings {
  @Text({ pattern: /\S/, optional }) name?: string | null;
  @JudgedBy(judgeCurrency, { type: 'string', maxLength: 3 }, { optional }) currency?: string | null;
  @Text({ max: 35, pattern: LANGUAGE, optional }) default_language?: string | null;
  @JudgedBy(judgeTranslations, TRANSLATIONS, { optional }) translations?: TranslationsPatch | null;
  @Nested(() => ProformaSettings, { optional }) proforma?: ProformaSettings | null;
  @Nested(() => MediaSettings, { optional }) media?: MediaSettings | null;
  @Nested(() => BankAccountSettings, { optional }) bank_account?: BankAccountSettings | null;
  @Nested(() => LoyaltySettings, { optional }) loyalty?: LoyaltySettings | null;
  @Text({ optional }) default_warehouse_code?: string | null;
}

const SECTIONS = ['proforma', 'media', 'bank_account', 'loyalty'] as const;

/** The settings with the patch merged in, section by section. */
export function mergeSettings(stored: StoredSettings, patch: PatchSettings): StoredSettings {
  const merged: Record<string, unknown> = { ...stored };
  for (const section of SECTIONS) {
    const wish = patch[section];
    if (wish !== undefined) merged[section] = wish ? withoutNulls({ ...stored[section], ...sent(wish) }) : {};
  }
  if (patch.default_warehouse_code !== undefined) {
    merged['default_warehouse_code'] = isBlank(patch.default_warehouse_code ?? '')
      ? null
      : patch.default_warehouse_code;
  }
  return merged;
}

/** Merged sentence by sentence. */
export function mergeTranslations(stored: Translations, patch: PatchSettings['translations']): Translations {
  if (patch === undefined) return stored;
  const merged: Record<string, Record<string, string>> = patch === null ? {} : { ...stored };
  for (const [language, sentences] of Object.entries(patch ?? {})) {
    merged[language] = withoutNulls({ ...merged[language], ...sentences }) as Record<string, string>;
  }
  return merged;
}

export function areTooLong(translations: Translations): boolean {
  return Buffer.byteLength(JSON.stringify(translations)) > MOST_BYTES_OF_TRANSLATIONS;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isName(name: string): boolean {
  return name !== '' && name !== '__proto__' && isSound(name) && lengthOf(name) <= LONGEST_STRING;
}

function isSentence(sentence: unknown): boolean {
  return typeof sentence === 'string' && isSound(sentence) && lengthOf(sentence) <= LONGEST_SENTENCE;
}

function sent(section: object): object {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined));
}

function withoutNulls(section: object): object {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== null));
}
