export { cardRoutes } from './cards.routes.js';
export { TypeOrmCards } from './typeorm-cards.js';
