import { availableParallelism } from 'node:os';
import { InvalidConfig, type Config } from '../config.js';

/** With `auto`, another process starts even a single API process, so that SIGHUP replaces it without a failed call. */
export function needsSeveralProcesses(config: Pick<Config, 'processes' | 'database'>): boolean {
  return processCountOf(config) > 1 || (config.processes === 'auto' && config.database !== 'memory');
}

/** Returns the number of API processes. Throws for several processes with a database in the memory of one process. */
export function processCountOf({ processes, database }: Pick<Config, 'processes' | 'database'>): number {
  if (processes === 'auto') return database === 'memory' ? 1 : availableParallelism();
  if (processes > 1 && database === 'memory')
    throw new InvalidConfig('Bad configuration: PROCESSES: a database in memory belongs to one process');
  return processes;
}
