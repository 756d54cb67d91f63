/**
 * Installs the tarballs, then runs examples and contracts on each supported version of Node. The Node binaries come
 * from npm.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const VERSIONS = ['20', '22', '24'];
const BINARY = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** @param {string} version */
function installNode(version) {
  const folder = join(ROOT, '.cache', `node-${version}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  execFileSync('npm', ['install', ...options, `${BINARY}@${version}`], { cwd: folder, stdio: 'ignore' });
  return join(folder, 'node_modules', BINARY, 'bin/node');
}

/** @param {string} version */
function passesOn(version) {
  const node = installNode(version);
  process.stdout.write(`Node ${execFileSync(node, ['--version'], { encoding: 'utf8' })}`);
  const jest = ['node_modules/jest/bin/jest.js', 'packages.full', '-t', 'an empty project'];
  const env = { ...process.env, TEST_TIER: 'full', PACKAGES_NODE: node };
  return spawnSync(process.execPath, jest, { cwd: ROOT, env, stdio: 'inherit' }).status === 0;
}

const failedVersions = VERSIONS.filter((version) => !passesOn(version));
if (failedVersions.length > 0) process.stderr.write(`Failed on Node ${failedVersions.join(', ')}\n`);
process.exitCode = failedVersions.length === 0 ? 0 : 1;
