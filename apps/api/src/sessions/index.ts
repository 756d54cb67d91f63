export { DeviceDetailFields, deviceDetailsOf, type DeviceDetails } from './device-details.js';
export { sessionRoutes } from './sessions.routes.js';
export { TypeOrmSessions } from './typeorm-sessions.js';
