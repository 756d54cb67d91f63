export { createLibraryParts, type LibraryParts } from './library-parts.js';
export { openLibraryTools, openLibrary, type Library, type LibraryTools } from './library.js';
export type { StorageModule } from './storage-module.js';
export { FileShape } from './files/file-shapes.js';
export { mediaRoutes } from './media.routes.js';
export { serveMedia } from './serving/serve-media.js';
export { uploadTokenRoutes } from './files/upload-tokens.routes.js';
