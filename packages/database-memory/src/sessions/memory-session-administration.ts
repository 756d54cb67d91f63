import {
  sessionEntries,
  type EndedSession,
  type ListedSession,
  type SessionAdministration,
  type SessionFilter,
  type SessionSelection,
} from '@back-office/apps';
import type { Clock, Page } from '@back-office/kernel';
import type { AccessTokenRecord } from '../apps/access-token-record.js';
import { audit } from '../apps/audit-entries.js';
import { pageOf } from '../lists.js';
import type { State } from '../state.js';

export class MemorySessionAdministration implements SessionAdministration {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async list(
    appId: number,
    { customerId, isActive = false, usedAfter }: SessionFilter,
    page: Page,
  ): Promise<ListedSession[]> {
    const now = this.clock.now();
    const isUnended = ({ revoked_at: revokedAt, expires_at: expiresAt }: AccessTokenRecord): boolean =>
      revokedAt === null && expiresAt !== null && expiresAt > now;
    const isUsed = ({ last_used_at: usedAt, inserted_at: insertedAt }: AccessTokenRecord): boolean =>
      usedAfter === undefined || (usedAt ?? insertedAt) > usedAfter;
    const isListed = (session: AccessTokenRecord): boolean =>
      (customerId === undefined || session.customer_id === customerId) &&
      (!isActive || (isUnended(session) && isUsed(session)));
    return pageOf(this.sessions(appId).filter(isListed), page).map(toListedSession);
  }

  async end(appId: number, selection: SessionSelection): Promise<EndedSession[] | undefined> {
    return this.state.memory.transaction(() => {
      const sessions = this.sessions(appId).filter(({ id, customer_id: customerId }) =>
        'id' in selection ? id === selection.id : customerId === selection.customerId,
      );
      if (sessions.length === 0) return 'id' in selection ? undefined : [];
      const now = this.clock.now();
      const activeSessions = sessions.filter(({ revoked_at: revokedAt }) => revokedAt === null);
      const ended = activeSessions.map(({ id, hash }) => ({ id, tokenHash: Buffer.from(hash, 'hex') }));
      audit(this.state, appId, now, sessionEntries(selection, ended));
      for (const session of activeSessions)
        this.state.accessTokens.put(appId, { ...session, revoked_at: now, firebase_token: null });
      return ended;
    });
  }

  private sessions(appId: number): AccessTokenRecord[] {
    return this.state.accessTokens.all(appId).filter(({ kind }) => kind === 'session');
  }
}

function toListedSession(session: AccessTokenRecord): ListedSession {
  return {
    id: session.id,
    customerId: session.customer_id,
    deviceUuid: session.device_uuid,
    deviceType: session.device_type,
    insertedAt: session.inserted_at,
    lastUsedAt: session.last_used_at,
    expiresAt: session.expires_at,
    endedAt: session.revoked_at,
  };
}
