/** Remembers when the latest party made its last call, and when any other party made its last call. */
export class LatestParties<Key> {
  private latest: Key | undefined;
  private latestAtMs = -Infinity;
  private otherAtMs = -Infinity;

  note(key: Key, nowMs: number): void {
    if (this.latest !== key) this.otherAtMs = this.latestAtMs;
    this.latest = key;
    this.latestAtMs = nowMs;
  }

  /** Returns the time of the last call by another party than `key`, or -Infinity. */
  otherCallAtMs(key: Key): number {
    return this.latest === key ? this.otherAtMs : this.latestAtMs;
  }
}
