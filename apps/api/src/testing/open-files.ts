import { readdir, readlink } from 'node:fs/promises';
import { sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const DESCRIPTORS = '/proc/self/fd';
/** A stream may close its file shortly after it has ended. */
const MAX_CLOSING_MS = 2_000;

/** Throws when a file below the folder stays open; checks nothing outside Linux. */
export async function checkFilesAreClosed(folder: string): Promise<void> {
  const deadline = Date.now() + MAX_CLOSING_MS;
  let openFiles = await openFilesIn(folder);
  for (; openFiles.length > 0 && Date.now() < deadline; openFiles = await openFilesIn(folder)) await pause(20);
  if (openFiles.length > 0)
    throw new Error(`Read or cancel every stream of a store. Left open:\n${openFiles.join('\n')}`);
}

async function openFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(DESCRIPTORS).catch(() => []);
  // One listed descriptor belongs to the listing itself. It is already closed, so `readlink` fails.
  const paths = await Promise.all(names.map((name) => readlink(`${DESCRIPTORS}/${name}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder + sep));
}
