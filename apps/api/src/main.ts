import { needsSeveralProcesses, processCountOf } from './runtime/process-count.js';
import { loadConfig } from './runtime/load-config.js';
import { reportReady, stopServing } from './runtime/process-member.js';
import { runUntilSignal } from './runtime/run.js';

// Each kind of process loads only its own modules, because the one that starts the others should use little memory.
await runUntilSignal(async () => {
  const config = loadConfig();
  if (needsSeveralProcesses(config))
    return (await import('./runtime/processes.js')).startProcesses(config, processCountOf(config));
  const api = await (await import('./runtime/api-process.js')).startApiProcess(config);
  reportReady(api.greeting);
  return () => stopServing(api);
});
