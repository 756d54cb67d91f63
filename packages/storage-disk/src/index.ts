export * from './disk-media-store.js';
