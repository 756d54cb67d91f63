export * from './sharp-image-processor.js';
