/**
 * Ends the process with one line if Node is older than `engines` of the root `package.json`. Only uses syntax and imports
 * that Node 14 can load, because other modules of the service fail on an old Node with a stack trace.
 */
import { readFileSync } from 'node:fs';

const { engines } = /** @type {{ engines: { node: string } }} */ (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
);
const found = process.versions.node;
const wanted = engines.node.replace('>=', '');

if (isOlder(found, wanted)) {
  process.stderr.write(`Node ${wanted} or newer is needed, but this is Node ${found}.\n`);
  process.exit(1);
}

/** @param {string} version @param {string} otherVersion */
function isOlder(version, otherVersion) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = otherVersion.split('.').map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
