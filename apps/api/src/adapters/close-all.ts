const TIMEOUT_MS = 10_000;

export interface Closable {
  close?(): void | Promise<void>;
}

/** Closes in reverse order. If one fails or exceeds the timeout, closes all others and then throws the first error. */
export async function closeAll(openAdapters: readonly Closable[], timeoutMs = TIMEOUT_MS): Promise<void> {
  const failures: unknown[] = [];
  for (const closable of openAdapters.toReversed()) {
    await closeWithTimeout(closable, timeoutMs).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function closeWithTimeout(closable: Closable, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`An adapter was not closed within ${timeoutMs} ms`)), timeoutMs);
  });
  await Promise.race([closable.close?.(), timedOut]).finally(() => clearTimeout(timer));
}
