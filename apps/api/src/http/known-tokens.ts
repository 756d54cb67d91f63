import type { Credentials } from './authentication.js';

const MAX_TOKENS = 10_000;

/**
 * Remembers the app of each recently valid token. Calls with these tokens are not slowed down when other callers guess
 * tokens.
 */
export class KnownTokens {
  private readonly appByHash = new Map<string, number>();

  appOf({ hash }: Credentials): number | undefined {
    return hash && this.appByHash.get(keyOf(hash));
  }

  /** Remembers the app of a token; drops the oldest token when there are too many. */
  remember({ hash }: Credentials, appId: number): void {
    if (hash === undefined || this.appByHash.has(keyOf(hash))) return;
    const [oldestKey] = this.appByHash.keys();
    if (this.appByHash.size >= MAX_TOKENS && oldestKey !== undefined) this.appByHash.delete(oldestKey);
    this.appByHash.set(keyOf(hash), appId);
  }

  forget({ hash }: Credentials): void {
    if (hash) this.appByHash.delete(keyOf(hash));
  }
}

function keyOf(hash: Buffer): string {
  return hash.toString('latin1');
}
