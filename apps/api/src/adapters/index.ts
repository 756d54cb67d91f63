export { closeAll, type Closable } from './close-all.js';
export { adapterNames } from './adapter-names.js';
export { lacking, messageOf, openModule, type Side } from './adapter-module.js';
