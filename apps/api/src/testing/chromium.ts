import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { findOnPath, isExecutable } from './programs.js';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

const program = findProgram();
/** `npm test` also runs without Chromium; .ci/run installs it. */
export const hasChromium = program !== undefined;

export interface Chromium {
  /** Pipes for commands and events of the DevTools protocol, as `--remote-debugging-pipe` expects. */
  readonly commands: Writable;
  readonly events: Readable;
  close(): Promise<void>;
}

/** Starts Chromium without a window and with a new profile. Throws when no Chromium is installed. */
export async function startChromium(parameters: readonly string[]): Promise<Chromium> {
  if (program === undefined)
    throw new Error(`This test needs Chromium: install one of ${PROGRAMS.join(', ')}, or set CHROMIUM to its path.`);
  const profile = await mkdtemp(join(tmpdir(), 'chromium-'));
  // Chromium refuses to run as root with its sandbox. It is safe here without a sandbox, because all pages belong to
  // this repository.
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', `--user-data-dir=${profile}`];
  const child = spawn(program, [...options, ...parameters], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const exit = once(child, 'exit');
  const [, , , commands, events] = child.stdio;
  const close = async (): Promise<void> => {
    process.kill(-(child.pid as number), 'SIGKILL');
    await exit;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { commands: commands as Writable, events: events as Readable, close };
}

/** Returns the program that the environment variable `CHROMIUM` names, or else the first one on the `PATH`. */
function findProgram(): string | undefined {
  const path = process.env['CHROMIUM'] ?? '';
  return path !== '' && isExecutable(path) ? path : PROGRAMS.map(findOnPath).find((found) => found !== undefined);
}
