export * from './disk-media-store.js';
export { makeFolder } from './make-folder.js';
