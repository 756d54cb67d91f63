export { attributeRoutes } from './attributes.routes.js';
