import type { Clock } from '@back-office/kernel';

const MOST_REMEMBERED = 10_000;

interface Memory<Value> {
  readonly value: Promise<Value | undefined>;
  readonly until: number;
}

/** Remembers what was found for a while. What was not found is asked for again: it may be made the next moment. */
export class Remembered<Value> {
  private readonly memories = new Map<string, Memory<Value>>();

  constructor(
    private readonly milliseconds: number,
    private readonly clock: Clock,
  ) {}

  find(key: string, ask: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const now = this.clock.now().getTime();
    const known = this.memories.get(key);
    // A clock that was set back must not keep a memory alive.
    if (known && known.until > now && known.until <= now + this.milliseconds) return known.value;
    const value = this.asked(key, ask);
    if (this.memories.size >= MOST_REMEMBERED) this.memories.clear();
    this.memories.set(key, { value, until: now + this.milliseconds });
    return value;
  }

  forget(key: string): void {
    this.memories.delete(key);
  }

  forgetAll(): void {
    this.memories.clear();
  }

  private async asked(key: string, ask: () => Promise<Value | undefined>): Promise<Value | undefined> {
    let found: Value | undefined;
    try {
      found = await ask();
      return found;
    } finally {
      if (found === undefined) this.memories.delete(key);
    }
  }
}
