export { findVariants } from './named-variants.query.js';
export { productRoutes } from './products.routes.js';
export { TypeOrmProducts } from './typeorm-products.js';
export { verifyRoutes } from './verify.routes.js';
