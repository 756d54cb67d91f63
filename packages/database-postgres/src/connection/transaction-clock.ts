import type { Clock } from '@back-office/kernel';
import { callContext } from './write-once.js';

/** Reads the clock once per transaction, so that its records, events and audit entries have the same time. */
export class TransactionClock implements Clock {
  constructor(private readonly clock: Clock) {}

  now(): Date {
    const { moment } = callContext();
    if (moment === undefined) return this.clock.now();
    return (moment.at ??= this.clock.now());
  }
}
