export { sessionRoutes } from './sessions.routes.js';
export { TypeOrmSessions } from './typeorm-sessions.js';
