export { AppAdministration, type IssuedToken, type RevokedToken } from './app-administration.js';
export { LANGUAGE_TAG } from './app-settings.js';
export { appRoutes } from './apps.routes.js';
export { CachedTokens } from './cached-tokens.js';
export { TokenUses } from './token-uses.js';
