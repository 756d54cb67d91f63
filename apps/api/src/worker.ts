import { loadConfig } from './runtime/load-config.js';
import { reportReady } from './runtime/process-member.js';
import { runUntilSignal } from './runtime/run.js';
import { startWorkerProcess } from './runtime/worker-process.js';

await runUntilSignal(async () => {
  const stop = await startWorkerProcess(loadConfig());
  reportReady('');
  return stop;
});
