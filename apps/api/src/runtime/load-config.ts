import cluster from 'node:cluster';
import { resolve } from 'node:path';
import { findMisspelledVariables, readConfig, type Config } from '../config.js';

/** Reads the configuration, and writes warnings about the environment to standard error, once for several processes. */
export function loadConfig(): Config {
  if (cluster.isWorker) return readConfig();
  // A misspelt variable is often the cause of an invalid configuration, so it is reported first.
  for (const { name, suggestion } of findMisspelledVariables())
    warn(`${name} is not a known variable. Did you mean ${suggestion}?`);
  const config = readConfig();
  const { database, databaseUrl, dataDir, isProduction } = config;
  if (isProduction && database === 'postgres' && databaseUrl === undefined)
    warn(`NODE_ENV=production without DATABASE_URL: data is kept in an embedded database below ${resolve(dataDir)}.`);
  return config;
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}
