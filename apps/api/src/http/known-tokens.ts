import type { Credentials } from './authentication.js';

const MAX_TOKENS = 10_000;

/**
 * Remembers the app of each recently valid token. Calls with these tokens are not slowed down when other callers guess
 * tokens.
 */
export class KnownTokens {
  private readonly appByHash = new Map<string, number>();

  appOf({ key }: Pick<Credentials, 'key'>): number | undefined {
    return key && this.appByHash.get(key.mapKey);
  }

  /** Remembers the app of a token; drops the oldest token when there are too many. */
  remember({ key }: Pick<Credentials, 'key'>, appId: number): void {
    if (key === undefined || this.appByHash.has(key.mapKey)) return;
    const [oldestKey] = this.appByHash.keys();
    if (this.appByHash.size >= MAX_TOKENS && oldestKey !== undefined) this.appByHash.delete(oldestKey);
    this.appByHash.set(key.mapKey, appId);
  }

  forget({ key }: Pick<Credentials, 'key'>): void {
    if (key) this.appByHash.delete(key.mapKey);
  }
}
