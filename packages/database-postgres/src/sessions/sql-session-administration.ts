import {
  sessionEntries,
  type EndedSession,
  type ListedSession,
  type SessionAdministration,
  type SessionFilter,
  type SessionSelection,
} from '@back-office/apps';
import type { Clock, Page } from '@back-office/kernel';
import { placeholders } from '../lists/placeholders.js';
import type { Postgres } from '../connection/postgres.js';

const COLUMNS = `id, customer_id as "customerId", device_uuid as "deviceUuid", device_type as "deviceType",
  inserted_at as "insertedAt", last_used_at as "lastUsedAt", expires_at as "expiresAt", revoked_at as "endedAt"`;

const lockStatement = (column: 'id' | 'customer_id') => `
  select id, token_hash as "tokenHash", revoked_at is not null as "hasEnded" from access_tokens
  where app_id = $1 and kind = 'session' and ${column} = $2 order by id for no key update`;

const END_SESSIONS = `
  update access_tokens set revoked_at = $3, firebase_token = null where app_id = $1 and id = any($2::bigint[])`;

interface LockedSession extends EndedSession {
  readonly hasEnded: boolean;
}

export class SqlSessionAdministration implements SessionAdministration {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  list(
    appId: number,
    { customerId, isActive, usedAfter }: SessionFilter,
    { offset, limit }: Page,
  ): Promise<ListedSession[]> {
    const values: unknown[] = [appId];
    const value = placeholders(values);
    const conditions = [
      `app_id = $1 and kind = 'session'`,
      ...(customerId === undefined ? [] : [`customer_id = ${value(customerId)}`]),
      ...(isActive ? [`revoked_at is null and expires_at > ${value(this.clock.now())}`] : []),
      ...(isActive && usedAfter ? [`coalesce(last_used_at, inserted_at) > ${value(usedAfter)}`] : []),
    ];
    const text = `select ${COLUMNS} from access_tokens where ${conditions.join(' and ')}
      order by id offset ${value(offset)} limit ${value(limit)}`;
    return this.database.rows<ListedSession>(text, values);
  }

  end(appId: number, selection: SessionSelection): Promise<EndedSession[] | undefined> {
    const [column, value] =
      'id' in selection ? (['id', selection.id] as const) : (['customer_id', selection.customerId] as const);
    return this.database.transaction(async (transaction) => {
      transaction.locks('token');
      const sessions = await transaction.rows<LockedSession>(lockStatement(column), [appId, value]);
      if (sessions.length === 0) return 'id' in selection ? undefined : [];
      const ended = sessions.filter(({ hasEnded }) => !hasEnded).map(({ id, tokenHash }) => ({ id, tokenHash }));
      const now = this.clock.now();
      transaction.record(appId, now, { entries: sessionEntries(selection, ended) });
      await transaction.runLast(END_SESSIONS, [appId, ended.map(({ id }) => id), now]);
      return ended;
    });
  }
}
