export * from './in-memory-media-store.js';
export * from './media-store.contract.js';
export * from './image-processor.contract.js';
