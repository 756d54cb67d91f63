export { checkCurrency, checkCurrencyOf, CURRENCY_OF_APP } from './app-currency.query.js';
export { LANGUAGE } from './app-settings.js';
export { appRoutes } from './apps.routes.js';
export { RememberedTokens } from './remembered-tokens.js';
export { TypeOrmApps } from './typeorm-apps.js';
