/** Counts the calls in progress of each party and refuses calls above a maximum. */
export class CallsInProgress<Key extends number | string> {
  private readonly counts = new Map<Key, number>();

  constructor(private readonly max: number) {}

  /** Runs the work. Returns `undefined` without running it when the party has too many calls in progress. */
  run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> | undefined {
    return this.begin(key) ? work().finally(() => this.end(key)) : undefined;
  }

  /** Starts to count a call; {@link end} stops counting it. Returns false when the party has too many calls. */
  begin(key: Key): boolean {
    const count = this.counts.get(key) ?? 0;
    if (count >= this.max) return false;
    this.counts.set(key, count + 1);
    return true;
  }

  end(key: Key): void {
    const remaining = (this.counts.get(key) ?? 0) - 1;
    if (remaining > 0) this.counts.set(key, remaining);
    else this.counts.delete(key);
  }
}
