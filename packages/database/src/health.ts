import type { PartyKind } from './party.js';

export interface DatabaseHealth {
  /** Throws unless the database answers. */
  ping(): Promise<void>;
  /** Returns the number of open connections, of idle connections, and of callers that wait for a connection. */
  connections(): { readonly open: number; readonly idle: number; readonly waiting: number };
  waiting(): Readonly<Record<PartyKind, number>>;
}
