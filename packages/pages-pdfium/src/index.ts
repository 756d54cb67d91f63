export * from './pdfium-page-renderer.js';
