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
import { isPlainObject } from '../http/nested-values.js';
import {
  IsBoolean,
  IsInt,
  IsNumber,
  IsOptional,
  Matches,
  Max,
  MaxLength,
  Min,
  Type,
  ValidatedBy,
  ValidateNested,
} from '../http/request-fields.js';
import { type App, completeSettings, type SettingsPatch, type TranslationsPatch } from '@back-office/apps';
import { isAccountNumber } from '@back-office/proforma';
import { anyObject, integer, component, nullable, number, record, text, boolean, type TypeOf } from '../http/shapes.js';
import { Type as Shape } from '@sinclair/typebox';

const amount = Shape.Number({ description: 'in the currency of the app; 0 for none' });

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

class ProformaSettings {
  @IsOptional() @IsInt() @Min(1) @Max(MAX_LIFETIME_HOURS) lifetime_hours?: number | null;
  @IsOptional() @IsBoolean() expire_paid?: boolean | null;
  @IsOptional() @IsNumber() @Min(0) minimum_basket_amount?: number | null;
}

class EvaluationSettings {
  @IsOptional() @IsInt() @Min(1) @Max(MAX_DAYS) retention_days?: number | null;
}

/** The prefix is read-only, since it is part of every URL. */
const validatePrefix = (value: unknown): string => (typeof value === 'string' ? IS_INVALID : MALFORMED);

class MediaSettings {
  @IsOptional() @ValidatedBy(validatePrefix, { type: 'string', enum: [] }) prefix?: string | null;
  @IsOptional() @IsInt() @Min(0) @Max(MAX_DAYS) trash_retention_days?: number | null;
  @IsOptional() @IsBoolean() refuse_delete_in_use?: boolean | null;
  @IsOptional() @IsInt() @Min(0) @Max(MAX_DAYS) unused_threshold_days?: number | null;
  @IsOptional() @IsInt() @Min(1) @Max(MAX_DAYS) auto_hide_unused_days?: number | null;
  @IsOptional() @IsBoolean() serve_trash?: boolean | null;
}

/** Codes of the National Bank of Serbia: cash (1) or transfer (2), then the purpose (20 to 90). */
const PAYMENT_CODE = /^([12]([2-8]\d|90))?$/;

const MAX_ACCOUNT_LENGTH = 34;

/** Accepts accounts of any currency; the app's currency is checked later. */
function validateAccount(value: unknown): string | undefined {
  const error = checkText(value, MAX_ACCOUNT_LENGTH, true);
  if (error !== undefined || isBlank(String(value))) return error;
  return ['RSD', 'EUR'].some((currency) => isAccountNumber(String(value), currency)) ? undefined : IS_INVALID;
}

class BankAccountSettings {
  @IsOptional() @MaxLength(70) beneficiary?: string | null;
  @IsOptional() @MaxLength(70) address?: string | null;
  @IsOptional() @ValidatedBy(validateAccount, { type: 'string', maxLength: MAX_ACCOUNT_LENGTH }) account_number?:
    | string
    | null;
  @IsOptional() @MaxLength(140) purpose?: string | null;
  @IsOptional() @MaxLength(255) @Matches(PAYMENT_CODE) payment_code?: string | null;
}

class LoyaltySettings {
  @IsOptional() @IsInt() @Min(0) @Max(1_000_000_000) points_per_amount?: number | null;
}

const MIN_AUDIT_DAYS = 30;

class AuditSettings {
  /** Without a minimum, a caller could change something and have its audit entry deleted at once. */
  @IsOptional() @IsInt() @Min(MIN_AUDIT_DAYS) @Max(MAX_DAYS) retention_days?: number | null;
}

class EventSettings {
  @IsOptional() @IsInt() @Min(1) @Max(MAX_DAYS) retention_days?: number | null;
}

/** A longer session would be a nearly permanent token that nobody revokes. */
const MAX_SESSION_DAYS = 90;

class SessionSettings {
  @IsOptional() @IsInt() @Min(1) @Max(MAX_SESSION_DAYS) idle_days?: number | null;
  @IsOptional() @IsInt() @Min(1) @Max(MAX_SESSION_DAYS) max_days?: number | null;
}

export const LANGUAGE_TAG = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;

function validateTranslations(value: unknown): string | undefined {
  if (!isPlainObject(value) || !Object.values(value).every(isPlainObject)) return MALFORMED;
  const sentences = Object.values(value).flatMap(
    (sentencesByKey) => Object.entries(sentencesByKey as object) as [string, unknown][],
  );
  if (sentences.some(([, sentence]) => sentence !== null && typeof sentence !== 'string')) return MALFORMED;
  const names = [...Object.keys(value), ...sentences.map(([key]) => key)];
  const isValid = names.every(isName) && sentences.every(([, sentence]) => sentence === null || isSentence(sentence));
  return isValid ? undefined : IS_INVALID;
}

const validateCurrency = (value: unknown): string | undefined =>
  checkText(value, 3, true) ?? (isCurrency(String(value)) ? undefined : IS_INVALID);

/** Absent fields stay unchanged; null restores the default. */
export class PatchSettings implements SettingsPatch {
  @IsOptional() @MaxLength(255) @Matches(/\S/) name?: string | null;
  @IsOptional() @ValidatedBy(validateCurrency, { type: 'string', maxLength: 3 }) currency?: string | null;
  @IsOptional() @MaxLength(35) @Matches(LANGUAGE_TAG) default_language?: string | null;
  @IsOptional() @ValidatedBy(validateTranslations, TRANSLATIONS_SCHEMA) translations?: TranslationsPatch | null;
  @IsOptional() @ValidateNested() @Type(() => ProformaSettings) proforma?: ProformaSettings | null;
  @IsOptional() @ValidateNested() @Type(() => EvaluationSettings) evaluation?: EvaluationSettings | null;
  @IsOptional() @ValidateNested() @Type(() => MediaSettings) media?: MediaSettings | null;
  @IsOptional() @ValidateNested() @Type(() => BankAccountSettings) bank_account?: BankAccountSettings | null;
  @IsOptional() @ValidateNested() @Type(() => LoyaltySettings) loyalty?: LoyaltySettings | null;
  @IsOptional() @ValidateNested() @Type(() => SessionSettings) sessions?: SessionSettings | null;
  @IsOptional() @ValidateNested() @Type(() => AuditSettings) audit?: AuditSettings | null;
  @IsOptional() @ValidateNested() @Type(() => EventSettings) events?: EventSettings | null;
  @IsOptional() @MaxLength(255) default_warehouse_code?: string | null;
}

function isName(name: string): boolean {
  return name !== '' && name !== '__proto__' && isStorable(name) && characterCount(name) <= MAX_STRING_LENGTH;
}

function isSentence(sentence: unknown): boolean {
  return typeof sentence === 'string' && isStorable(sentence) && characterCount(sentence) <= MAX_SENTENCE_LENGTH;
}
