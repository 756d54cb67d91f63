export * from './sanitize-svg.js';
export * from './saxes-svg-sanitizer.js';
export * from './svg-size.js';
