export { consentRoutes } from './consents.routes.js';
export { TypeOrmConsents } from './typeorm-consents.js';
