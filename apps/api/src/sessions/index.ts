export { DeviceDetailFields, deviceDetailsOf } from './device-details.js';
export { sessionRoutes } from './sessions.routes.js';
