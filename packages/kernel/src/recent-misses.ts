import type { Clock } from './clock.js';

/** Remembers for `lifetimeMs` which keys are missing. When full, forgets the oldest key. */
export class RecentMisses {
  private readonly expiresAtMs = new Map<string, number>();

  constructor(
    private readonly lifetimeMs: number,
    private readonly maxKeys: number,
    private readonly clock: Clock,
  ) {}

  has(key: string): boolean {
    const expiresAtMs = this.expiresAtMs.get(key);
    if (expiresAtMs === undefined) return false;
    const now = this.clock.now().getTime();
    // The second condition forgets entries if the clock was set back.
    if (expiresAtMs > now && expiresAtMs <= now + this.lifetimeMs) return true;
    this.expiresAtMs.delete(key);
    return false;
  }

  add(key: string): void {
    this.expiresAtMs.delete(key);
    const [oldestKey] = this.expiresAtMs.keys();
    if (this.expiresAtMs.size >= this.maxKeys && oldestKey !== undefined) this.expiresAtMs.delete(oldestKey);
    this.expiresAtMs.set(key, this.clock.now().getTime() + this.lifetimeMs);
  }

  delete(key: string): void {
    this.expiresAtMs.delete(key);
  }

  clear(): void {
    this.expiresAtMs.clear();
  }
}
