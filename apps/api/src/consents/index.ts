export { consentRoutes } from './consents.routes.js';
