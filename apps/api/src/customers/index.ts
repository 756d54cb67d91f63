export { customerRoutes } from './customers.routes.js';
export { CustomerEntity, TypeOrmCustomers } from './typeorm-customers.js';
