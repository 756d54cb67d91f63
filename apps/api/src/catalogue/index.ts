export { productRoutes } from './products.routes.js';
export { TypeOrmProducts } from './typeorm-products.js';
