export { folderRoutes } from './folders.routes.js';
export { TypeOrmMediaFolders } from './typeorm-media-folders.js';
