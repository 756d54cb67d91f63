export { deviceRoutes } from './devices.routes.js';
export { TypeOrmDevices } from './typeorm-devices.js';
