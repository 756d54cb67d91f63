export { closeAll, type Closable } from './close-all.js';
export { adapterNames } from './adapter-names.js';
export { missingMethods, messageOf, openModule, type AdapterKind } from './adapter-module.js';
