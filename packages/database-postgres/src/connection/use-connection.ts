import { isUnknownOutcome } from '@back-office/database';
import type { PoolClient } from 'pg';
import { isConnectionKept } from './failures.js';
import { isConnectionLost } from './transaction-answers.js';

/** Listener for a lost connection. It does nothing, because the next statement or COMMIT reports the loss. */
function ignoreError(): void {}

function isUsable(_: PoolClient, error: unknown): Promise<boolean> {
  return Promise.resolve(isConnectionKept(error));
}

/**
 * Runs work on a connection of the pool and returns it. Closes it after an unknown outcome, after its loss, and if
 * `recover` returns false after another error. `Pool.query` closes it after every error, and on a cluster a new
 * connection costs much.
 */
export async function useConnection<Result>(
  client: PoolClient,
  work: () => Promise<Result>,
  recover: (client: PoolClient, error: unknown) => Promise<boolean> = isUsable,
): Promise<Result> {
  // Without this listener, a connection that is lost between two statements would end the process.
  client.on('error', ignoreError);
  let isBroken = false;
  try {
    return await work();
  } catch (error) {
    isBroken = isUnknownOutcome(error) || isConnectionLost(error) || !(await recover(client, error));
    throw error;
  } finally {
    client.off('error', ignoreError);
    client.release(isBroken);
  }
}
