import { InvalidConfig } from '../config.js';

/** Ctrl-C reaches a service below npm twice: from the terminal, and forwarded by npm. */
const SAME_SIGNAL_MS = 500;

/**
 * Runs a process until SIGTERM or SIGINT. `start` answers how to stop it; a second signal does not wait.
 * What fails at the start ends the process with one line.
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
    let askedAt: number | undefined;
    const onSignal = (): void => {
      if (askedAt !== undefined && performance.now() - askedAt > SAME_SIGNAL_MS) process.exit(1);
      askedAt ??= performance.now();
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

/** A refused connection is an AggregateError without a message of its own. */
function messageOf(error: unknown): string {
  const { message, errors, cause } = error as { message?: string; errors?: Error[]; cause?: unknown };
  const text = [message, errors?.[0]?.message, String(error)].find((each) => each !== undefined && each !== '');
  const because = cause instanceof Error ? ` (${cause.message.split('\n')[0]})` : '';
  return `${text?.split('\n')[0] ?? ''}${because}`;
}
