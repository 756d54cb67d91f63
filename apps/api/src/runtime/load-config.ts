import { findMisspelledVariables, readConfig, type Config } from '../config.js';

/** Reads the configuration. Reports misspelt variables on standard error, also when another variable is invalid. */
export function loadConfig(): Config {
  for (const { name, meant } of findMisspelledVariables())
    process.stderr.write(`${name} is not a known variable. Did you mean ${meant}?\n`);
  return readConfig();
}
