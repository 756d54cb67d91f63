export { auditRoutes, presentEntry } from './audit.routes.js';
