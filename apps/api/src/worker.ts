import { loadConfig } from './runtime/load-config.js';
import { runUntilSignal } from './runtime/run.js';
import { startWorkerProcess } from './runtime/worker-process.js';

await runUntilSignal(() => startWorkerProcess(loadConfig()));
