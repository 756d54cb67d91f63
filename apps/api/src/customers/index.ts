export { CustomerShape } from './customer.js';
export { CustomerNameFields, parseCustomerIdentifier } from './customer-name.js';
export { customerRoutes } from './customers.routes.js';
export { personalDataRoutes } from './personal-data.routes.js';
