export * from './in-memory-media-store.js';
export * from './media-store.contract.js';
export * from './image-processor.contract.js';
export * from './chunked.js';
export * as parts from './file-parts.js';
export * from './sample-files.js';
export * from './page-renderer.contract.js';
export * from './sample-pdfs.js';
