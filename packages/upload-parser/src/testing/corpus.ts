import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The relative path is valid in both the source and the build folder. */
const FOLDER = fileURLToPath(new URL('../../corpus/', import.meta.url));

/** Returns the stored files of a target: files that caused failures before, and files that reach rare code. */
export function readCorpus(target: string): readonly Uint8Array[] {
  const folder = `${FOLDER}${target}/`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => new Uint8Array(readFileSync(folder + name)));
}

export function keepFile(target: string, file: Uint8Array): string {
  const folder = `${FOLDER}${target}/`;
  mkdirSync(folder, { recursive: true });
  const path = `${folder}${createHash('sha256').update(file).digest('hex').slice(0, 16)}.bin`;
  writeFileSync(path, file);
  return path;
}
