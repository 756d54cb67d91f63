export { attendanceRoutes } from './attendances.routes.js';
export { locationRoutes } from './locations.routes.js';
