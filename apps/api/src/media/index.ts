export { libraryParts, type LibraryParts } from './library-parts.js';
export { libraryToolsOf, openLibrary, type LibraryTools, type StorageModule } from './library.js';
export { fileFilter, fileListStatement } from './media-list.query.js';
export { mediaRoutes } from './media.routes.js';
export { MediaWorker } from './media-worker.js';
export { serveMedia } from './serve-media.js';
export { RECORD_USAGES } from './typeorm-media-usages.js';
