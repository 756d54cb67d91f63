import type { Clock } from './clock.js';

const MAX_ENTRIES = 10_000;

interface Entry<Value> {
  readonly value: Promise<Value | undefined>;
  readonly expiresAtMs: number;
}

/**
 * Caches loaded values for `lifetimeMs`. Does not cache that a value is missing, because another process may create it
 * at any time.
 */
export class ExpiringCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();

  constructor(
    private readonly lifetimeMs: number,
    private readonly clock: Clock,
  ) {}

  find(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const now = this.clock.now().getTime();
    const entry = this.entries.get(key);
    // The second condition expires entries if the clock was set back.
    if (entry && entry.expiresAtMs > now && entry.expiresAtMs <= now + this.lifetimeMs) return entry.value;
    const value = this.loadValue(key, load);
    if (this.entries.size >= MAX_ENTRIES) this.entries.clear();
    this.entries.set(key, { value, expiresAtMs: now + this.lifetimeMs });
    return value;
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }

  private async loadValue(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    let value: Value | undefined;
    try {
      value = await load();
      return value;
    } finally {
      if (value === undefined) this.entries.delete(key);
    }
  }
}
