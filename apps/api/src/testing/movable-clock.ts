import type { Clock } from '@back-office/kernel';

/** A clock that stands still until it is moved. */
export class MovableClock implements Clock {
  constructor(private time = new Date('2026-11-21T10:00:00Z')) {}

  now(): Date {
    return new Date(this.time);
  }

  /** To the moment that it is, which is what processes of the service go by that share the database. */
  catchUp(): void {
    this.time = new Date();
  }

  forward({ hours = 0, seconds = 0 }: { hours?: number; seconds?: number }): void {
    this.time = new Date(this.time.getTime() + hours * 3_600_000 + seconds * 1_000);
  }
}
