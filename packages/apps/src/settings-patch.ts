import { addHours, isBlank, refuse, utf8Length } from '@back-office/kernel';
import {
  completeSettings,
  DEFAULT_AUDIT_RETENTION_DAYS,
  type App,
  type CompleteSettings,
  type EarlierRetention,
  type StoredSettings,
} from './app.js';
import type { Translations } from './speech.js';

export const DEFAULT_LANGUAGE = 'en';

type Patch<Section> = { readonly [Field in keyof Section]?: Section[Field] | null };

export type TranslationsPatch = Readonly<Record<string, Readonly<Record<string, string | null>>>>;

/** An absent field does not change; null restores the default. */
export interface SettingsPatch {
  readonly name?: string | null;
  readonly currency?: string | null;
  readonly default_language?: string | null;
  readonly translations?: TranslationsPatch | null;
  readonly proforma?: Patch<CompleteSettings['proforma']> | null;
  readonly evaluation?: Patch<CompleteSettings['evaluation']> | null;
  readonly media?: Patch<CompleteSettings['media']> | null;
  readonly bank_account?: Patch<CompleteSettings['bank_account']> | null;
  readonly loyalty?: Patch<CompleteSettings['loyalty']> | null;
  readonly audit?: Patch<CompleteSettings['audit']> | null;
  readonly events?: Patch<CompleteSettings['events']> | null;
  readonly sessions?: Patch<CompleteSettings['sessions']> | null;
  readonly default_warehouse_code?: string | null;
}

const MAX_TRANSLATIONS_BYTES = 128 * 1024;

export function applyPatch(app: App, patch: SettingsPatch, now: Date): App {
  const patched = {
    ...app,
    name: patch.name ?? app.name,
    currency: patch.currency ?? app.currency,
    default_language:
      patch.default_language === null ? DEFAULT_LANGUAGE : (patch.default_language ?? app.default_language),
    translations: mergeTranslations(app.translations, patch.translations),
    settings: mergeSettings(app.settings, patch),
  };
  return shortensAudit(app, patched) ? rememberRetention(app, patched, now) : patched;
}

/** Refusal of a caller who may change settings, but not the audit log. */
export const AUDIT_SCOPE_MISSING = refuse('API.Tokens.ScopeMissing');

export function shortensAudit(before: App, after: App): boolean {
  return retentionDays(after) < retentionDays(before);
}

function retentionDays(app: App): number {
  return completeSettings(app).audit.retention_days;
}

/** A shorter retention counts only for entries that are written afterwards. */
function rememberRetention(before: App, after: App, now: Date): App {
  const ended = { until: now.toISOString(), days: retentionDays(before) };
  // An earlier retention that was not longer no longer counts. So the list stays short, however often it is shortened.
  const isNeeded = ({ until, days }: EarlierRetention): boolean => days > ended.days && isRetained(until, days, now);
  const earlier = (after.settings.earlier_audit ?? []).filter(isNeeded);
  return { ...after, settings: { ...after.settings, earlier_audit: [...earlier, ended] } };
}

function isRetained(until: string, days: number, now: Date): boolean {
  return addHours(new Date(until), days * 24) > now;
}

/** Returns true when an entry of the audit log, written at `at`, is older than its retention. */
export function isAuditExpired({ settings }: Pick<App, 'settings'>, at: Date, now: Date): boolean {
  const days = settings.audit?.retention_days ?? DEFAULT_AUDIT_RETENTION_DAYS;
  const earlierDays = (settings.earlier_audit ?? []).map(({ until, days: longer }) =>
    at <= new Date(until) ? longer : 0,
  );
  return addHours(at, Math.max(days, ...earlierDays) * 24) < now;
}

const SECTIONS = ['proforma', 'evaluation', 'media', 'bank_account', 'loyalty', 'audit', 'events', 'sessions'] as const;

function mergeSettings(storedSettings: StoredSettings, patch: SettingsPatch): StoredSettings {
  const mergedSettings: Record<string, unknown> = { ...storedSettings };
  for (const section of SECTIONS) {
    const changes = patch[section];
    if (changes !== undefined)
      mergedSettings[section] = changes
        ? withoutNulls({ ...storedSettings[section], ...withoutAbsentFields(changes) })
        : {};
  }
  if (patch.default_warehouse_code !== undefined) {
    mergedSettings['default_warehouse_code'] = isBlank(patch.default_warehouse_code ?? '')
      ? null
      : patch.default_warehouse_code;
  }
  return mergedSettings;
}

function mergeTranslations(storedTranslations: Translations, patch: SettingsPatch['translations']): Translations {
  if (patch === undefined) return storedTranslations;
  const mergedTranslations: Record<string, Record<string, string>> = patch === null ? {} : { ...storedTranslations };
  for (const [language, sentences] of Object.entries(patch ?? {})) {
    mergedTranslations[language] = withoutNulls({ ...mergedTranslations[language], ...sentences }) as Record<
      string,
      string
    >;
  }
  return mergedTranslations;
}

export function isTooLong(translations: Translations): boolean {
  return utf8Length(JSON.stringify(translations)) > MAX_TRANSLATIONS_BYTES;
}

function withoutAbsentFields(section: object): object {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined));
}

function withoutNulls(section: object): object {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== null));
}
