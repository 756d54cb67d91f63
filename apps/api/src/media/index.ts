export { libraryParts, type LibraryParts } from './library-parts.js';
export { libraryToolsOf, openLibrary, type LibraryTools } from './library.js';
export type { StorageModule } from './storage-module.js';
export { fileFilter, fileListStatement } from './media-list.query.js';
export { mediaRoutes } from './media.routes.js';
export { MediaWorker } from './media-worker.js';
export { serveMedia } from './serve-media.js';
export { RECORD_USAGES } from './typeorm-media-usages.js';
