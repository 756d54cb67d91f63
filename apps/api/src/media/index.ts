export { folderRoutes } from './folders.routes.js';
export { TypeOrmMediaFolders } from './typeorm-media-folders.js';
export { imageProcessorOf, openLibrary, type Library, type StorageModule } from './library.js';
