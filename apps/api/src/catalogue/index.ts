export { ProductShape } from './product.js';
export { productRoutes } from './products.routes.js';
export { verifyRoutes } from './verify.routes.js';
