export * from './jimp-image-processor.js';
