export { attendanceRoutes } from './attendances.routes.js';
export { locationRoutes } from './locations.routes.js';
export { TypeOrmAttendances } from './typeorm-attendances.js';
export { TypeOrmLocations } from './typeorm-locations.js';
