/** Remembers which party called last, and when a different party called last. */
export class LatestParties<Key> {
  private latest: Key | undefined;
  private latestAtMs = -Infinity;
  private otherAtMs = -Infinity;

  note(key: Key, nowMs: number): void {
    if (this.latest !== key) this.otherAtMs = this.latestAtMs;
    this.latest = key;
    this.latestAtMs = nowMs;
  }

  /** Returns when a party other than this one has called last, or -Infinity. */
  otherCallAtMs(key: Key): number {
    return this.latest === key ? this.otherAtMs : this.latestAtMs;
  }
}
