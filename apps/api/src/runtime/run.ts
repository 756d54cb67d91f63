import { InvalidConfig } from '../config.js';

/** Ctrl-C reaches a service under npm twice: from the terminal and from npm. */
const SAME_SIGNAL_MS = 500;

/**
 * Runs a process until SIGTERM or SIGINT. `start` returns the function that stops it; a second signal exits at once.
 * A failed start ends the process with one line on standard error.
 */
export async function runUntilSignal(start: () => Promise<() => Promise<void>>): Promise<void> {
  const signal = signalled();
  let stop: () => Promise<void>;
  try {
    stop = await start();
  } catch (error) {
    return end(error);
  }
  await signal;
  try {
    await stop();
  } catch (error) {
    return end(error);
  }
  process.exit(0);
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    let signalledAt: number | undefined;
    const onSignal = (): void => {
      if (signalledAt !== undefined && performance.now() - signalledAt > SAME_SIGNAL_MS) process.exit(1);
      signalledAt ??= performance.now();
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

function end(error: unknown): never {
  const line = error instanceof InvalidConfig ? error.message : `Could not run: ${messageOf(error)}`;
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

/** A refused connection is an AggregateError without a message. */
function messageOf(error: unknown): string {
  const { message, errors, cause } = error as { message?: string; errors?: Error[]; cause?: unknown };
  const text = [message, errors?.[0]?.message, String(error)].find((each) => each !== undefined && each !== '');
  const because = cause instanceof Error ? ` (${cause.message.split('\n')[0]})` : '';
  return `${text?.split('\n')[0] ?? ''}${because}`;
}
