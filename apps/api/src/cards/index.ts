export { cardRoutes } from './cards.routes.js';
