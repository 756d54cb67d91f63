import type { PartyKind } from './party.js';

export interface DatabaseHealth {
  /** Throws unless the database answers. */
  ping(): Promise<void>;
  /** Returns the numbers of open connections, of idle ones, and of callers that wait for one. */
  connections(): { readonly open: number; readonly idle: number; readonly waiting: number };
  /** Returns how many callers of each kind wait for their turn. */
  waiting(): Readonly<Record<PartyKind, number>>;
}
