export * from './sharp-sample-images.js';
