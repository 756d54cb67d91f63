import {
  IS_INVALID,
  isBlank,
  isCurrency,
  isStorable,
  checkText,
  characterCount,
  MAX_STRING_LENGTH,
  MALFORMED,
} from '@back-office/kernel';
import { Amount, Flag, ValidatedBy, Nested, Text, Whole, type Validator } from '../http/request-fields.js';
import { type App, completeSettings, type SettingsPatch, type TranslationsPatch } from '@back-office/apps';
import { isAccountNumber } from '@back-office/proforma';
import { anyObject, integer, component, nullable, number, record, text, boolean, type TypeOf } from '../http/shapes.js';
import { Type } from '@sinclair/typebox';

const amount = Type.Number({ description: 'in the currency of the app; 0 for none' });

export const AppSettingsShape = component('AppSettings', {
  name: text,
  currency: text,
  default_language: text,
  translations: anyObject,
  proforma: record({ lifetime_hours: number, expire_paid: boolean, minimum_basket_amount: amount }),
  evaluation: record({ retention_days: integer }),
  media: record({
    prefix: text,
    trash_retention_days: integer,
    refuse_delete_in_use: boolean,
    unused_threshold_days: integer,
    auto_hide_unused_days: nullable(integer),
    serve_trash: boolean,
  }),
  bank_account: record({
    beneficiary: text,
    address: text,
    account_number: text,
    purpose: text,
    payment_code: text,
  }),
  loyalty: record({ points_per_amount: number }),
  audit: record({ retention_days: integer }),
  events: record({ retention_days: integer }),
  sessions: record({ idle_days: integer, max_days: integer }),
  default_warehouse_code: nullable(text),
});
export type AppSettingsOut = TypeOf<typeof AppSettingsShape>;

export function presentSettings(app: App): AppSettingsOut {
  return {
    name: app.name,
    currency: app.currency,
    default_language: app.default_language,
    translations: app.translations,
    ...completeSettings(app),
  };
}

const MAX_SENTENCE_LENGTH = 1_000;
const TRANSLATIONS_SCHEMA = {
  type: 'object' as const,
  additionalProperties: {
    type: 'object' as const,
    additionalProperties: { type: ['string', 'null'] as never, maxLength: MAX_SENTENCE_LENGTH },
  },
};

const MAX_LIFETIME_HOURS = 24 * 366;
const MAX_DAYS = 36_500;
const optional = true;

class ProformaSettings {
  @Whole({ min: 1, max: MAX_LIFETIME_HOURS, optional }) lifetime_hours?: number | null;
  @Flag({ optional }) expire_paid?: boolean | null;
  @Amount({ min: 0, optional }) minimum_basket_amount?: number | null;
}

class EvaluationSettings {
  @Whole({ min: 1, max: MAX_DAYS, optional }) retention_days?: number | null;
}

/** The prefix is read-only, since it is part of every URL. */
const validatePrefix: Validator = (value) => (typeof value === 'string' ? IS_INVALID : MALFORMED);

class MediaSettings {
  @ValidatedBy(validatePrefix, { type: 'string', enum: [] }, { optional }) prefix?: string | null;
  @Whole({ min: 0, max: MAX_DAYS, optional }) trash_retention_days?: number | null;
  @Flag({ optional }) refuse_delete_in_use?: boolean | null;
  @Whole({ min: 0, max: MAX_DAYS, optional }) unused_threshold_days?: number | null;
  @Whole({ min: 1, max: MAX_DAYS, optional }) auto_hide_unused_days?: number | null;
  @Flag({ optional }) serve_trash?: boolean | null;
}

/** Codes of the National Bank of Serbia: cash (1) or transfer (2), then the purpose (20 to 90). */
const PAYMENT_CODE = /^([12]([2-8]\d|90))?$/;

const MAX_ACCOUNT_LENGTH = 34;

/** Accepts accounts of any currency; the app's currency is checked later. */
const validateAccount: Validator = (value) => {
  const error = checkText(value, MAX_ACCOUNT_LENGTH, true);
  if (error !== undefined || isBlank(String(value))) return error;
  return ['RSD', 'EUR'].some((currency) => isAccountNumber(String(value), currency)) ? undefined : IS_INVALID;
};

class BankAccountSettings {
  @Text({ max: 70, optional }) beneficiary?: string | null;
  @Text({ max: 70, optional }) address?: string | null;
  @ValidatedBy(validateAccount, { type: 'string', maxLength: MAX_ACCOUNT_LENGTH }, { optional }) account_number?:
    | string
    | null;
  @Text({ max: 140, optional }) purpose?: string | null;
  @Text({ pattern: PAYMENT_CODE, optional }) payment_code?: string | null;
}

class LoyaltySettings {
  @Whole({ min: 0, max: 1_000_000_000, optional }) points_per_amount?: number | null;
}

const MIN_AUDIT_DAYS = 30;

class AuditSettings {
  /** Without a minimum, a caller could change something and have its audit entry deleted at once. */
  @Whole({ min: MIN_AUDIT_DAYS, max: MAX_DAYS, optional }) retention_days?: number | null;
}

class EventSettings {
  @Whole({ min: 1, max: MAX_DAYS, optional }) retention_days?: number | null;
}

/** A longer session would be a nearly permanent token that nobody revokes. */
const MAX_SESSION_DAYS = 90;

class SessionSettings {
  @Whole({ min: 1, max: MAX_SESSION_DAYS, optional }) idle_days?: number | null;
  @Whole({ min: 1, max: MAX_SESSION_DAYS, optional }) max_days?: number | null;
}

export const LANGUAGE_TAG = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;

const validateTranslations: Validator = (value) => {
  if (!isRecord(value) || !Object.values(value).every(isRecord)) return MALFORMED;
  const sentences = Object.values(value).flatMap(
    (sentencesByKey) => Object.entries(sentencesByKey as object) as [string, unknown][],
  );
  if (sentences.some(([, sentence]) => sentence !== null && typeof sentence !== 'string')) return MALFORMED;
  const names = [...Object.keys(value), ...sentences.map(([key]) => key)];
  const isValid = names.every(isName) && sentences.every(([, sentence]) => sentence === null || isSentence(sentence));
  return isValid ? undefined : IS_INVALID;
};

const validateCurrency: Validator = (value) =>
  checkText(value, 3, true) ?? (isCurrency(String(value)) ? undefined : IS_INVALID);

/** Absent fields stay unchanged; null restores the default. */
export class PatchSettings implements SettingsPatch {
  @Text({ pattern: /\S/, optional }) name?: string | null;
  @ValidatedBy(validateCurrency, { type: 'string', maxLength: 3 }, { optional }) currency?: string | null;
  @Text({ max: 35, pattern: LANGUAGE_TAG, optional }) default_language?: string | null;
  @ValidatedBy(validateTranslations, TRANSLATIONS_SCHEMA, { optional }) translations?: TranslationsPatch | null;
  @Nested(() => ProformaSettings, { optional }) proforma?: ProformaSettings | null;
  @Nested(() => EvaluationSettings, { optional }) evaluation?: EvaluationSettings | null;
  @Nested(() => MediaSettings, { optional }) media?: MediaSettings | null;
  @Nested(() => BankAccountSettings, { optional }) bank_account?: BankAccountSettings | null;
  @Nested(() => LoyaltySettings, { optional }) loyalty?: LoyaltySettings | null;
  @Nested(() => SessionSettings, { optional }) sessions?: SessionSettings | null;
  @Nested(() => AuditSettings, { optional }) audit?: AuditSettings | null;
  @Nested(() => EventSettings, { optional }) events?: EventSettings | null;
  @Text({ optional }) default_warehouse_code?: string | null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isName(name: string): boolean {
  return name !== '' && name !== '__proto__' && isStorable(name) && characterCount(name) <= MAX_STRING_LENGTH;
}

function isSentence(sentence: unknown): boolean {
  return typeof sentence === 'string' && isStorable(sentence) && characterCount(sentence) <= MAX_SENTENCE_LENGTH;
}
