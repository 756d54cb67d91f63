export * from './isolated-upload-parser.js';
