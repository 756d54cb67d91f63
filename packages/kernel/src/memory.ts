import type { Clock } from './clock.js';

const MAX_VALUES = 10_000;

/** Remembers the latest 10,000 values of a process, each for `lifetimeMs`. */
export class Memory<Value> {
  private readonly entries = new Map<string, { readonly value: Value; readonly expiresAtMs: number }>();

  constructor(
    private readonly lifetimeMs: number,
    private readonly clock: Clock,
    private readonly max: number = MAX_VALUES,
  ) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    const now = this.clock.now().getTime();
    // The second condition forgets values if the clock was set back.
    if (entry.expiresAtMs > now && entry.expiresAtMs <= now + this.lifetimeMs) return entry.value;
    this.entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value): void {
    this.entries.delete(key);
    const [oldestKey] = this.entries.keys();
    if (this.entries.size >= this.max && oldestKey !== undefined) this.entries.delete(oldestKey);
    this.entries.set(key, { value, expiresAtMs: this.clock.now().getTime() + this.lifetimeMs });
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }
}

/**
 * Returns the remembered value, or loads it; simultaneous callers share one load. Does not remember that a value is
 * missing, because another process may create it at any time.
 */
export async function findOrLoad<Value>(
  memory: Memory<Promise<Value | undefined>>,
  key: string,
  load: () => Promise<Value | undefined>,
): Promise<Value | undefined> {
  const known = memory.get(key);
  if (known) return known;
  const loading = load();
  memory.set(key, loading);
  let value: Value | undefined;
  try {
    value = await loading;
    return value;
  } finally {
    if (value === undefined) memory.delete(key);
  }
}
