export { TaskCrashed, TaskExceededLimit, type TaskLimits } from './limited-process.js';
export * from './memory-limit.js';
export * from './process-pool.js';
export * from './serve-tasks.js';
