import { InvalidConfig } from '../config.js';
import { messageOf } from './error-message.js';

/** npm forwards Ctrl-C, so a service receives it twice; signals within this time count as one. */
const SAME_SIGNAL_MS = 500;

/**
 * Runs a process until SIGTERM or SIGINT. `start` returns the function that stops the process. A second signal exits at
 * once; a failed start exits with one line on standard error.
 */
export async function runUntilSignal(start: () => Promise<() => Promise<void>>): Promise<void> {
  const signalReceived = waitForSignal();
  let stop: () => Promise<void>;
  try {
    stop = await start();
  } catch (error) {
    return exitWithError(error);
  }
  await signalReceived;
  try {
    await stop();
  } catch (error) {
    return exitWithError(error);
  }
  process.exit(0);
}

function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    let signalledAtMs: number | undefined;
    const onSignal = (): void => {
      if (signalledAtMs !== undefined && performance.now() - signalledAtMs > SAME_SIGNAL_MS) process.exit(1);
      signalledAtMs ??= performance.now();
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

function exitWithError(error: unknown): never {
  const line = error instanceof InvalidConfig ? error.message : `Could not run: ${messageOf(error)}`;
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
