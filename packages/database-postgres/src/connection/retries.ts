import { hasWritten } from './call-writes.js';
import { TIMEOUTS } from './timeouts.js';
import { isPoolExhausted } from './failures.js';

/**
 * Retries while the pool is exhausted if the call has already written, because the service can then no longer refuse
 * the call.
 */
export async function retryWhileExhausted<Result>(connect: () => Promise<Result>): Promise<Result> {
  const endMs = performance.now() + TIMEOUTS.acquireAfterWrite;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (!isPoolExhausted(error) || !hasWritten() || performance.now() > endMs) throw error;
    }
  }
}

/** Waits longer after each attempt, for a random time, so that calls do not collide again. */
export function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10 * 2 ** attempt * (0.5 + Math.random())));
}
