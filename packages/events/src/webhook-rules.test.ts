import { addSeconds } from '@back-office/kernel';
import {
  deriveHealth,
  GIVE_UP_AFTER_SECONDS,
  HEALTHY,
  isDelivered,
  retryAt,
  type EndpointHealth,
  type WebhookAnswer,
} from './webhook-rules.js';

const NOW = new Date('2026-11-21T10:00:00Z');
const answer = (status: number, retryAfterSeconds: number | null = null): WebhookAnswer => ({
  status,
  retryAfterSeconds,
  text: '',
});
const TIMEOUT: WebhookAnswer = { error: 'timeout' };
const secondsUntil = (at: Date | null): number => ((at?.getTime() ?? NaN) - NOW.getTime()) / 1_000;

describe('the answer of a webhook receiver', () => {
  it.each([
    [answer(200), true],
    [answer(204), true],
    [answer(299), true],
    [answer(300), false],
    [answer(199), false],
    [answer(500), false],
    [TIMEOUT, false],
  ])('%j counts as delivered: %s', (given, expected) => {
    expect(isDelivered(given)).toBe(expected);
  });
});

describe('retryAt', () => {
  const pause = (attempts: number, given = answer(500), random = 0.5): number =>
    secondsUntil(retryAt(NOW, attempts, given, random));

  it('comes after a longer pause with each attempt, up to six hours', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 50].map((attempts) => pause(attempts))).toEqual([
      5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 21_600, 21_600,
    ]);
  });

  it('varies by up to 20 %', () => {
    expect([pause(2, TIMEOUT, 0), pause(2, TIMEOUT, 1)]).toEqual([24, 36]);
  });

  it('respects Retry-After up to six hours', () => {
    expect(pause(1, answer(429, 90))).toBe(90);
    expect(pause(4, answer(503, 90))).toBe(600);
    expect(pause(1, answer(503, 999_999))).toBe(21_600);
  });
});

describe('deriveHealth', () => {
  const derive = (health: EndpointHealth, answers: readonly WebhookAnswer[], hasFirstAttempt = true, startedAt = NOW) =>
    deriveHealth(health, { startedAt, endedAt: NOW, answers, hasFirstAttempt });
  const FAILING: EndpointHealth = { failures: 4, failingSince: addSeconds(NOW, -60), retryAt: NOW };

  it('changes nothing without attempts', () => {
    expect(derive(FAILING, [])).toEqual({ health: FAILING, switchOffReason: undefined });
  });

  it('returns a healthy state after one successful delivery', () => {
    expect(derive(FAILING, [answer(500), answer(200)]).health).toEqual(HEALTHY);
  });

  it('pauses the endpoint longer with each failure, up to a minute', () => {
    let health = HEALTHY;
    const pauses = Array.from({ length: 8 }, () => {
      ({ health } = derive(health, [TIMEOUT]));
      return secondsUntil(health.retryAt);
    });
    expect(pauses).toEqual([0, 0, 8, 16, 32, 60, 60, 60]);
    expect(health).toMatchObject({ failures: 8, failingSince: NOW });
  });

  it('adds no failure when only retries fail', () => {
    const { health } = derive(HEALTHY, [TIMEOUT], false);
    expect(health).toMatchObject({ failures: 0, failingSince: NOW });
    expect(secondsUntil(health.retryAt)).toBe(0);
  });

  it('ignores the Retry-After of a successful delivery', () => {
    expect(derive(HEALTHY, [answer(200, 300)]).health).toEqual(HEALTHY);
  });

  it('pauses the endpoint as long as one answer requests, even when another delivery succeeds', () => {
    expect(secondsUntil(derive(HEALTHY, [answer(429, 300), answer(200)]).health.retryAt)).toBe(300);
  });

  it('switches the endpoint off after three days without a success', () => {
    const failingSince = addSeconds(NOW, -GIVE_UP_AFTER_SECONDS);
    expect(derive({ ...FAILING, failingSince }, [TIMEOUT]).switchOffReason).toMatch(/three days/);
    const failingLater = { ...FAILING, failingSince: addSeconds(failingSince, 1) };
    expect(derive(failingLater, [TIMEOUT]).switchOffReason).toBe(undefined);
    expect(derive({ ...FAILING, failingSince }, [TIMEOUT, answer(200)]).switchOffReason).toBe(undefined);
  });

  it('switches the endpoint off immediately after the status 410', () => {
    expect(derive(HEALTHY, [answer(410), answer(200)]).switchOffReason).toMatch(/410/);
  });
});
