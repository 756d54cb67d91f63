export { attributeRoutes } from './attributes.routes.js';
export { TypeOrmAttributes } from './typeorm-attributes.js';
