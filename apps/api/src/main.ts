import cluster from 'node:cluster';
import { readConfig } from './config.js';
import { processCountOf } from './runtime/process-count.js';
import { runUntilSignal } from './runtime/run.js';

// Each kind of process loads only its own modules, because the supervisor should use little memory.
await runUntilSignal(async () => {
  const config = readConfig();
  if (cluster.isWorker) return (await import('./runtime/supervised.js')).startSupervised(config);
  const count = processCountOf(config);
  if (count > 1) return (await import('./runtime/supervisor.js')).startSupervisor(config, count);
  const api = await (await import('./runtime/api-process.js')).startApiProcess(config);
  process.stdout.write(api.greeting);
  return () => api.stop();
});
