export { CustomerNameFields, parseCustomerName } from './customer-name.js';
export { customerRoutes } from './customers.routes.js';
