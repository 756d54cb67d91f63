export { LANGUAGE } from './app-settings.js';
export { appRoutes } from './apps.routes.js';
export { RememberedTokens } from './remembered-tokens.js';
export { TypeOrmApps } from './typeorm-apps.js';
