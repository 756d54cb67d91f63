import { Turns } from '@back-office/kernel';
import { busyMs } from '../http/busy-time.js';

/** Without a maximum, deliveries would stop while the API is busy. */
const MAX_PAUSE_MS = 50;

/**
 * Lets the apps start deliveries in turn, one at a time. After each, the process pauses them for as long as it was busy
 * before, so that it answers calls meanwhile.
 */
export class DeliveryPace {
  private readonly turns = new Turns<number>(1);
  private busyBeforeMs: number;

  constructor(private readonly measure: () => number = busyMs) {
    this.busyBeforeMs = measure();
  }

  /** Resolves when the app may start a delivery. */
  take(appId: number): Promise<void> {
    return new Promise((resolve) => {
      this.turns.enter(appId, (end) => {
        resolve();
        setImmediate(() => setTimeout(end, this.nextPauseMs()).unref());
      });
    });
  }

  private nextPauseMs(): number {
    const busyNowMs = this.measure();
    const pauseMs = Math.min(busyNowMs - this.busyBeforeMs, MAX_PAUSE_MS);
    this.busyBeforeMs = busyNowMs;
    return pauseMs;
  }
}
