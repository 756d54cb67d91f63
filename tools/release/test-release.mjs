/** Packs the release twice and compares the bytes. Then installs and runs the archive as an operator would. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extract } from 'tar';
import { expectStatus, waitUntilReady } from '../../apps/api/src/testing/running-service.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUT = join(ROOT, 'release');
const PORT = '39217';
const ORIGIN = `http://127.0.0.1:${PORT}`;
const START_TIMEOUT_MS = 20_000;
/** Paths whose answers need files beside the code. */
const PATHS = [
  '/openapi.json',
  '/docs',
  '/docs/reference/swagger-ui-bundle.js',
  '/docs/guides/',
  '/docs/guides/quickstart',
];

const [first, second] = [pack(), pack()];
if (first !== second) throw new Error(`Two releases of the same sources differ:\n${first}${second}`);

const parent = mkdtempSync(join(tmpdir(), 'back-office-release-'));
try {
  const archive = readdirSync(OUT).find((name) => name.endsWith('.tar.gz')) ?? '';
  await extract({ file: join(OUT, archive), cwd: parent });
  const folder = join(parent, archive.replace('.tar.gz', ''));
  execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder });
  process.stdout.write(execFileSync('npm', ['run', '-s', 'cli', '--', '--version'], { cwd: folder, encoding: 'utf8' }));
  await runService(folder);
} finally {
  rmSync(parent, { recursive: true, force: true });
}
process.stdout.write('The release installs, starts, answers and stops.\n');

function pack() {
  execFileSync(process.execPath, [join(ROOT, 'tools/release/release.mjs')], { cwd: ROOT, stdio: 'ignore' });
  return readFileSync(join(OUT, 'SHA256SUMS'), 'utf8');
}

/** @param {string} folder */
async function runService(folder) {
  const env = { ...process.env, DATABASE: 'memory', PORT, DATA_DIR: join(folder, '.data') };
  const npm = spawn('npm', ['start'], { cwd: folder, env, stdio: 'ignore' });
  const exit = once(npm, 'exit');
  await waitUntilReady(ORIGIN, START_TIMEOUT_MS);
  for (const path of PATHS) await expectStatus(`${ORIGIN}${path}`, 200);
  npm.kill('SIGTERM');
  const [code] = await exit;
  if (code !== 0) throw new Error(`npm start exited with ${code} after SIGTERM`);
}
