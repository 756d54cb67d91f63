import cluster from 'node:cluster';
import { readConfig } from './config.js';
import { isSupervised, processCountOf } from './runtime/process-count.js';
import { loadConfig } from './runtime/load-config.js';
import { runUntilSignal } from './runtime/run.js';

// Each kind of process loads only its own modules, because the supervisor should use little memory.
await runUntilSignal(async () => {
  if (cluster.isWorker) return (await import('./runtime/supervised.js')).startSupervised(readConfig());
  const config = loadConfig();
  if (isSupervised(config))
    return (await import('./runtime/supervisor.js')).startSupervisor(config, processCountOf(config));
  const api = await (await import('./runtime/api-process.js')).startApiProcess(config);
  process.stdout.write(api.greeting);
  return () => api.stop();
});
