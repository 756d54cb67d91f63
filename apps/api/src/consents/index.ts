export { ConsentShape, presentConsent } from './consent-shapes.js';
export { consentRoutes } from './consents.routes.js';
