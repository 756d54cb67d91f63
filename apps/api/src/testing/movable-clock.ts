import type { Clock } from '@back-office/kernel';

export class MovableClock implements Clock {
  private tickMs = 0;

  constructor(private time = new Date('2026-11-21T10:00:00Z')) {}

  now(): Date {
    this.time = new Date(this.time.getTime() + this.tickMs);
    return this.time;
  }

  /** Makes every reading later than the one before it. */
  startTicking(): void {
    this.tickMs = 1;
  }

  /** Sets the clock to the system time, because other processes on the same database use it. */
  setToSystemTime(): void {
    this.time = new Date();
  }

  forward({ hours = 0, seconds = 0 }: { hours?: number; seconds?: number }): void {
    this.time = new Date(this.time.getTime() + hours * 3_600_000 + seconds * 1_000);
  }
}
