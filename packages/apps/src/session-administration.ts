import type { AuditEntry, Page } from '@back-office/kernel';
import type { Session } from './sessions.js';

export interface ListedSession {
  readonly id: number;
  readonly customerId: number | null;
  readonly deviceUuid: string | null;
  readonly deviceType: string | null;
  readonly insertedAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly endedAt: Date | null;
}

export interface SessionFilter {
  readonly customerId?: number | undefined;
  /** If true, selects only sessions that have neither ended nor expired. */
  readonly isActive?: boolean | undefined;
  /** If `isActive` is also true, selects only sessions used after this time, or started after it if never used. */
  readonly usedAfter?: Date | undefined;
}

export type SessionSelection = { readonly id: number } | { readonly customerId: number };

export interface EndedSession {
  readonly id: number;
  readonly tokenHash: Uint8Array;
}

export interface SessionAdministration {
  /** Lists the app's sessions in the order of their ids. */
  list(appId: number, filter: SessionFilter, page: Page): Promise<ListedSession[]>;
  /**
   * Ends the active sessions of the selection and returns them. Returns `undefined` when a selected id does not exist.
   */
  end(appId: number, selection: SessionSelection): Promise<EndedSession[] | undefined>;
}

/** Returns no entry for a session without a customer. */
export function newSessionEntries({ id: subjectId, customerId }: Session): AuditEntry[] {
  return customerId === null ? [] : [{ action: 'session.create', subjectId, after: { customer_id: customerId } }];
}

export function sessionEntries(selection: SessionSelection, ended: readonly EndedSession[]): AuditEntry[] {
  if (ended.length === 0) return [];
  if ('id' in selection) return [{ action: 'session.end', subjectId: selection.id }];
  return [{ action: 'session.end', before: { customer_id: selection.customerId, count: ended.length } }];
}
