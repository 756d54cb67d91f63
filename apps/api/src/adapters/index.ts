export { adapterNames } from './adapter-names.js';
export { lacking, openModule, type Side } from './adapter-module.js';
