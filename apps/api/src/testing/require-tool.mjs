import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const requireFromTools = createRequire(fileURLToPath(new URL('../../../../tools/package.json', import.meta.url)));

/** Loads a package of the folder `tools`. Ends the process with a hint if the packages there are not installed. */
export function requireTool(name) {
  try {
    return requireFromTools(name);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    process.stderr.write(`${name} is missing: run npm ci --prefix tools first.\n`);
    process.exit(1);
  }
}
