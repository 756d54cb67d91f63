export { TypeOrmKeyedCalls } from './typeorm-keyed-calls.js';
