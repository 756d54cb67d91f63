/** Remembers the time of the last call, and the time of the last call by another party. */
export class LatestParties<Key> {
  private latest: Key | undefined;
  private latestAtMs = -Infinity;
  private otherAtMs = -Infinity;

  note(key: Key, nowMs: number): void {
    if (this.latest !== key) this.otherAtMs = this.latestAtMs;
    this.latest = key;
    this.latestAtMs = nowMs;
  }

  /** Returns the time of the last call by another party, or -Infinity. */
  otherCallAtMs(key: Key): number {
    return this.latest === key ? this.otherAtMs : this.latestAtMs;
  }
}
