export const SETTINGS_COLUMNS = 'a.id, a.name, a.currency, a.default_language, a.settings, a.media_prefix';
export const APP_COLUMNS = `${SETTINGS_COLUMNS}, a.translations`;
