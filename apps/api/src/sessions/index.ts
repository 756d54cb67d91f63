export { DeviceDetailFields, deviceDetailsOf } from './device-details.js';
export { presentSession, sessionAdministrationRoutes } from './session-administration.routes.js';
export { sessionRoutes } from './sessions.routes.js';
