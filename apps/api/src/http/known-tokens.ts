import type { Credentials, HashedToken } from './authentication.js';

const MAX_TOKENS = 10_000;

/**
 * Remembers the app of each recently valid token. Calls with these tokens are not slowed down when other callers guess
 * tokens.
 */
export class KnownTokens {
  private readonly appByHash = new Map<string, number>();

  appOf({ key }: Credentials): number | undefined {
    return key && this.appByHash.get(textOf(key));
  }

  /** Remembers the app of a token; drops the oldest token when there are too many. */
  remember({ key }: Credentials, appId: number): void {
    if (key === undefined || this.appByHash.has(textOf(key))) return;
    const [oldestKey] = this.appByHash.keys();
    if (this.appByHash.size >= MAX_TOKENS && oldestKey !== undefined) this.appByHash.delete(oldestKey);
    this.appByHash.set(textOf(key), appId);
  }

  forget({ key }: Credentials): void {
    if (key) this.appByHash.delete(textOf(key));
  }
}

function textOf({ hash }: HashedToken): string {
  return hash.toString('latin1');
}
