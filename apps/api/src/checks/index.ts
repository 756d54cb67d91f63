export { check, type Finding } from './check.js';
