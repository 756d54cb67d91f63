export { check, STORE_RULES, type Finding } from './check.js';
