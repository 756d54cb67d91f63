/**
 * Packs the built service into `release/`: one archive that runs after `npm ci --omit=dev`, its SBOM, and the SHA-256
 * of both files. The same sources give the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from 'tar';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUT = join(ROOT, 'release');
const NOT_RUN = /\.d\.ts$|\.d\.ts\.map$|\.tsbuildinfo$|\/testing\//;
const FILES = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'THIRD_PARTY_NOTICES.md',
  'apps/api/run.mjs',
  'apps/api/node-version.mjs',
  'apps/api/src/docs/api-examples.json',
];
/** A fixed modification time makes two builds of the same sources byte-identical. */
const MODIFIED_AT = new Date('2000-01-01T00:00:00Z');

const { name, version } = /** @type {{ name: string; version: string }} */ (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
);
const folder = `${name}-${version}`;
const stage = join(OUT, folder);

rmSync(OUT, { recursive: true, force: true });
execFileSync('npm', ['run', '-s', 'build'], { cwd: ROOT, stdio: 'inherit' });
for (const path of listFiles()) {
  const target = join(stage, path);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(ROOT, path), target);
}
const archive = `${folder}.tar.gz`;
const entries = filesBelow(folder, OUT).sort();
await create({ cwd: OUT, file: join(OUT, archive), gzip: { level: 9 }, portable: true, mtime: MODIFIED_AT }, entries);
rmSync(stage, { recursive: true, force: true });
const sbom = `${folder}.cdx.json`;
writeFileSync(join(OUT, sbom), execFileSync('npm', ['run', '-s', 'sbom'], { cwd: ROOT }));
writeFileSync(join(OUT, 'SHA256SUMS'), [archive, sbom].map((file) => `${hashOf(join(OUT, file))}  ${file}\n`).join(''));
process.stdout.write(readFileSync(join(OUT, 'SHA256SUMS'), 'utf8'));

/** @returns {string[]} Paths relative to the root. */
function listFiles() {
  const workspaces = ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(ROOT, parent)).map((child) => `${parent}/${child}`),
  );
  return [
    ...FILES,
    ...filesBelow('deploy').filter((path) => !path.endsWith('.env')),
    ...filesBelow('docs'),
    ...filesBelow('examples').filter((path) => !path.includes('/node_modules/')),
    ...workspaces.map((path) => `${path}/package.json`).filter((path) => existsSync(join(ROOT, path))),
    ...workspaces.flatMap(builtFiles),
  ];
}

/** @param {string} workspace @returns {string[]} */
function builtFiles(workspace) {
  if (!existsSync(join(ROOT, workspace, 'dist'))) return [];
  return filesBelow(`${workspace}/dist`).filter((path) => !NOT_RUN.test(path));
}

/**
 * @param {string} path @param {string} root @returns {string[]} Paths of the files in the folder, relative to the root.
 */
function filesBelow(path, root = ROOT) {
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.endsWith('/') ? root.length : root.length + 1));
}

/** @param {string} path */
function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
