export { importEntries } from './import-entries.js';
export { importMedia } from './import-media.js';
export { ImportResults } from './import-results.js';
