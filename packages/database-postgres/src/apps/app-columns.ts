/** Columns of `app_settings s` and `apps a` that calls read. */
export const SETTINGS_COLUMNS = 'a.id, s.name, s.currency, s.default_language, s.settings, a.media_prefix';
