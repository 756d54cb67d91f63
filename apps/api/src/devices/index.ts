export { deviceRoutes } from './devices.routes.js';
