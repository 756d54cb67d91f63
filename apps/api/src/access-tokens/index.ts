export { accessTokenRoutes } from './access-tokens.routes.js';
