import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Config } from '../config.js';
import type { CallCounter, RateLimit, RateLimits } from '../http/rate-limit.js';
import { loggable, type Logger } from './logger.js';

export interface CallCounters {
  readonly limits: RateLimits | undefined;
  close(): void;
}

/** Maximum time that a call waits for Redis. */
const COMMAND_TIMEOUT_MS = 250;
const CONNECT_TIMEOUT_MS = 2_000;
/** Time after a failure of Redis during which calls are counted in memory. */
const FALLBACK_MS = 2_000;
const MAX_RECONNECT_MS = 2_000;
const KEY_PREFIX = 'back-office';

/** Counts calls in memory per process, or in Redis for all processes together. */
export function openCallCounters({ rateLimits }: Pick<Config, 'rateLimits'>, logger: Logger): CallCounters {
  if (rateLimits === undefined) return { limits: undefined, close: () => {} };
  const { perToken, perAddress, store: url } = rateLimits;
  const store = url === undefined ? undefined : new SharedStore(url, logger);
  const limits = {
    perToken: counterOf('token', perToken, store),
    perAddress: counterOf('address', perAddress, store),
  };
  return { limits, close: () => store?.close() };
}

function counterOf(name: string, limit: RateLimit, store: SharedStore | undefined): CallCounter {
  const options = { points: limit.calls, duration: limit.seconds, keyPrefix: `${KEY_PREFIX}:${name}` };
  const memoryLimiter = new RateLimiterMemory(options);
  const sharedLimiter = store?.limiter(options);
  return {
    limit,
    count: (key) =>
      store && sharedLimiter
        ? store.attempt(
            () => consume(sharedLimiter, key, limit),
            () => consume(memoryLimiter, key, limit),
          )
        : consume(memoryLimiter, key, limit),
    uncount: async (key) => {
      const uncountHere = () => memoryLimiter.reward(key);
      await (store && sharedLimiter ? store.attempt(() => sharedLimiter.reward(key), uncountHere) : uncountHere());
    },
  };
}

/** Returns the count. Above the limit, the library throws the count instead, with 0 points if it did not ask Redis. */
async function consume(limiter: RateLimiterAbstract, key: string, { calls }: RateLimit): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key);
  } catch (refused) {
    if (refused instanceof RateLimiterRes)
      return new RateLimiterRes(0, refused.msBeforeNext, Math.max(refused.consumedPoints, calls + 1));
    throw refused;
  }
}

/** Counts in Redis, or in memory while Redis is down. Logs one line when Redis fails and one when it is back. */
class SharedStore {
  private readonly redis: Redis;
  private awayUntilMs = -Infinity;
  private isAway = false;

  constructor(
    url: string,
    private readonly logger: Logger,
  ) {
    this.redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_TIMEOUT_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      retryStrategy: (attempts) => Math.min(attempts * 100, MAX_RECONNECT_MS),
    });
    this.redis.on('error', (error) => this.noteFailure(error));
    this.redis.on('ready', () => (this.awayUntilMs = -Infinity));
  }

  limiter(options: {
    readonly points: number;
    readonly duration: number;
    readonly keyPrefix: string;
  }): RateLimiterRedis {
    return new RateLimiterRedis({
      ...options,
      storeClient: this.redis,
      // Calls above the limit are refused from memory, without asking Redis.
      inMemoryBlockOnConsumed: options.points + 1,
    });
  }

  async attempt<Result>(shared: () => Promise<Result>, inMemory: () => Promise<Result>): Promise<Result> {
    if (this.redis.status !== 'ready' || performance.now() < this.awayUntilMs) return inMemory();
    try {
      const result = await shared();
      this.noteRecovery();
      return result;
    } catch (error) {
      this.noteFailure(error);
      return inMemory();
    }
  }

  close(): void {
    this.redis.disconnect();
  }

  private noteFailure(error: unknown): void {
    this.awayUntilMs = performance.now() + FALLBACK_MS;
    if (this.isAway) return;
    this.isAway = true;
    this.logger.warn({ variable: 'RATE_LIMIT_STORE', error: loggable(error) }, 'rate limits are counted in memory');
  }

  private noteRecovery(): void {
    if (!this.isAway) return;
    this.isAway = false;
    this.logger.info('rate limits are counted in the store again');
  }
}
