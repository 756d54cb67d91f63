export { CustomerNameFields, customerNameOf, type CustomerName } from './customer-name.js';
export { customerRoutes } from './customers.routes.js';
export { CustomerEntity, TypeOrmCustomers } from './typeorm-customers.js';
export { isCustomer } from './named-customer.query.js';
