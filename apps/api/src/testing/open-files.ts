import { readdir, readlink } from 'node:fs/promises';
import { sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const DESCRIPTORS = '/proc/self/fd';
/** A stream closes its file shortly after its end. */
const CLOSING_MS = 2_000;

/** Throws when a file below the folder stays open (on Linux). */
export async function checkFilesAreClosed(folder: string): Promise<void> {
  const end = Date.now() + CLOSING_MS;
  let open = await openFilesIn(folder);
  for (; open.length > 0 && Date.now() < end; open = await openFilesIn(folder)) await pause(20);
  if (open.length > 0) throw new Error(`Read or cancel every stream of a store. Left open:\n${open.join('\n')}`);
}

async function openFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(DESCRIPTORS).catch(() => []);
  // The descriptor of the listing itself is already closed.
  const paths = await Promise.all(names.map((name) => readlink(`${DESCRIPTORS}/${name}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder + sep));
}
