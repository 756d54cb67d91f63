import { isBlank, utf8Length } from '@back-office/kernel';
import type { App, CompleteSettings, StoredSettings } from './app.js';
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

export function applyPatch(app: App, patch: SettingsPatch): App {
  return {
    ...app,
    name: patch.name ?? app.name,
    currency: patch.currency ?? app.currency,
    default_language:
      patch.default_language === null ? DEFAULT_LANGUAGE : (patch.default_language ?? app.default_language),
    translations: mergeTranslations(app.translations, patch.translations),
    settings: mergeSettings(app.settings, patch),
  };
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
