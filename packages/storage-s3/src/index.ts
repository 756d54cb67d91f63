export * from './s3-media-store.js';
