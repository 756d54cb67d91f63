const TIMEOUT_MS = 10_000;

export interface Closable {
  close?(): void | Promise<void>;
}

/** Closes what was opened, last first; one that fails or hangs for 10 s keeps no other open, and is thrown at the end. */
export async function closeAll(opened: readonly Closable[], timeoutMs = TIMEOUT_MS): Promise<void> {
  const failures: unknown[] = [];
  for (const each of opened.toReversed()) {
    await closeInTime(each, timeoutMs).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function closeInTime(each: Closable, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`An adapter was not closed within ${timeoutMs} ms`)), timeoutMs);
  });
  await Promise.race([each.close?.(), late]).finally(() => clearTimeout(timer));
}
