import { addSeconds, type DomainEvent } from '@back-office/kernel';

/** The receiver's answer, or the reason for the missing answer. */
export type WebhookAnswer =
  | { readonly status: number; readonly retryAfterSeconds: number | null; readonly text: string }
  | { readonly error: 'timeout' | 'connection_failed' | 'forbidden_target' };

export const GIVE_UP_AFTER_SECONDS = 3 * 86_400;
/** After this number of failed turns, the endpoint gets at most one repeated and one new event per turn. */
export const MIN_FAILURES_TO_SLOW_DOWN = 3;
const GONE = 410;

/** Pauses after the first attempt, after the second attempt, and so on. The last pause repeats. */
const RETRY_SECONDS = [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600];
const MAX_RETRY_AFTER_SECONDS = 21_600;
const MAX_ENDPOINT_PAUSE_SECONDS = 60;
const JITTER = 0.2;

export function isGone(answer: WebhookAnswer): boolean {
  return 'status' in answer && answer.status === GONE;
}

export function isDelivered(answer: WebhookAnswer): boolean {
  return 'status' in answer && answer.status >= 200 && answer.status < 300;
}

/** Returns the time of the next attempt. `random`, from 0 to 1, spreads simultaneous retries. */
export function retryAt(now: Date, attempts: number, answer: WebhookAnswer, random: number): Date {
  const pauseSeconds = RETRY_SECONDS[Math.min(attempts, RETRY_SECONDS.length) - 1] ?? 0;
  const jitteredSeconds = pauseSeconds * (1 - JITTER + 2 * JITTER * random);
  return addSeconds(now, Math.max(jitteredSeconds, retryAfterSeconds(answer)));
}

export function retryAfterSeconds(answer: WebhookAnswer): number {
  if (!('status' in answer) || isDelivered(answer)) return 0;
  return Math.min(answer.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS);
}

export interface EndpointHealth {
  readonly failures: number;
  readonly failingSince: Date | null;
  /** No attempt is made before this time. */
  readonly retryAt: Date | null;
}

export const HEALTHY: EndpointHealth = { failures: 0, failingSince: null, retryAt: null };

export interface HealthChange {
  readonly health: EndpointHealth;
  /** Present when the endpoint must be switched off. */
  readonly switchOffReason: string | undefined;
}

export interface Turn {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly answers: readonly WebhookAnswer[];
  /** True when the turn has sent an event that was never sent before. */
  readonly hasFirstAttempt: boolean;
}

export function switchedOffEvents(endpointId: number): DomainEvent[] {
  return [{ type: 'webhook_endpoint.switched_off', recordId: endpointId }];
}

/**
 * Derives an endpoint's health from the answers of a turn. A turn without attempts changes nothing. One successful
 * delivery makes the endpoint healthy; an answer 410, or three days without success, switches it off. A turn that only
 * repeats events adds no failure, because one event that is always refused must not slow down the others.
 */
export function deriveHealth(health: EndpointHealth, turn: Turn): HealthChange {
  const { startedAt, endedAt: now, answers } = turn;
  if (answers.length === 0) return { health, switchOffReason: undefined };
  const pauseSeconds = Math.max(0, ...answers.map(retryAfterSeconds));
  if (answers.some(isGone)) return { health, switchOffReason: 'The endpoint answered 410 Gone.' };
  if (answers.some(isDelivered)) {
    const retryTime = pauseSeconds > 0 ? addSeconds(now, pauseSeconds) : null;
    return { health: { ...HEALTHY, retryAt: retryTime }, switchOffReason: undefined };
  }
  const failures = health.failures + (turn.hasFirstAttempt ? 1 : 0);
  const failingSince = health.failingSince ?? startedAt;
  const endpointPause = failures < MIN_FAILURES_TO_SLOW_DOWN ? 0 : Math.min(2 ** failures, MAX_ENDPOINT_PAUSE_SECONDS);
  const retryTime = addSeconds(now, Math.max(endpointPause, pauseSeconds));
  const hasGivenUp = addSeconds(failingSince, GIVE_UP_AFTER_SECONDS) <= now;
  return {
    health: { failures, failingSince, retryAt: retryTime },
    switchOffReason: hasGivenUp ? 'No delivery succeeded for three days.' : undefined,
  };
}
