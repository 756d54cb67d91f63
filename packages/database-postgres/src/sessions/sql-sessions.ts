import { addHours, type CustomerIdentifier, refuse, type Clock, type Refusal } from '@back-office/kernel';
import {
  ENDED_SESSION_RETENTION_HOURS,
  newSessionEntries,
  type NewSession,
  type Session,
  type Sessions,
} from '@back-office/apps';
import type { Postgres } from '../connection/postgres.js';
import { customerCondition } from '../customers/customer-condition.js';
import { mobileInfoColumns } from '../devices/mobile-info-columns.js';
import { placeholders } from '../lists/placeholders.js';

/** The statement inserts nothing when the customer does not exist. */
function insertStatement(customer: CustomerIdentifier | null, value: (parameter: unknown) => string): string {
  const insertInto = `insert into access_tokens (app_id, kind, token_hash, language, inserted_at, expires_at,
    device_uuid, device_type, device_vendor, mobile_info, mobile_info_is_object, customer_id)`;
  const session = `$1, 'session', $2, $3, $4, $5, $6, $7, $8, $9, $10`;
  if (customer === null) return `${insertInto} values (${session}, null) returning id, customer_id`;
  return `
  with customer as (select c.id from customers c where c.app_id = $1 and ${customerCondition(customer, value)})
  ${insertInto} select ${session}, customer.id from customer returning id, customer_id`;
}

const END_SESSION = `
  update access_tokens set revoked_at = coalesce(revoked_at, $3), firebase_token = null
  where app_id = $1 and id = $2 and kind = 'session' returning token_hash`;

const REMOVED_AT_ONCE = 5_000;

// Also matches upload tokens. Idempotency keys refer to a session, but expire a day after the call, before it is removed.
// Only the audit log still has its id then.
const HAS_ENDED_BEFORE = `kind <> 'app' and least(expires_at, revoked_at) <`;
const FIND_ENDED_SESSIONS = `
  /* across apps: sessions that ended long ago */
  select app_id as "appId", id from access_tokens
  where ${HAS_ENDED_BEFORE} $1 order by least(expires_at, revoked_at) limit ${REMOVED_AT_ONCE}`;
const REMOVE_SESSIONS = `delete from access_tokens where app_id = $1 and id = any($2::bigint[]) and ${HAS_ENDED_BEFORE} $3`;

const KEEP_FIREBASE_TOKEN = `
  update access_tokens set firebase_token = $3
  where app_id = $1 and id = $2 and kind = 'session' and revoked_at is null returning id`;

export class SqlSessions implements Sessions {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  start(appId: number, { customer, device, language, expiresAt, tokenHash }: NewSession): Promise<Session | Refusal> {
    const { uuid, type, vendor, mobileInfo } = device;
    const now = this.clock.now();
    const values: unknown[] = [
      appId,
      tokenHash,
      language,
      now,
      expiresAt,
      uuid,
      type,
      vendor,
      ...mobileInfoColumns(mobileInfo),
    ];
    const text = insertStatement(customer, placeholders(values));
    return this.database.transaction(async (transaction) => {
      const [insertedRow] = await transaction.rows<{ id: number; customer_id: number | null }>(text, values);
      if (insertedRow === undefined) return refuse('API.Customers.NotFound');
      const session = { id: insertedRow.id, customerId: insertedRow.customer_id, expiresAt };
      transaction.record(appId, now, { entries: newSessionEntries(session) });
      return session;
    });
  }

  end(appId: number, id: number): Promise<Uint8Array | undefined> {
    return this.database.write(async (sql) => {
      const [endedSession] = await sql.runLast<{ token_hash: Uint8Array }>(END_SESSION, [appId, id, this.clock.now()]);
      return endedSession?.token_hash;
    });
  }

  replacePushToken(appId: number, id: number, firebaseToken: string): Promise<boolean> {
    return this.database.write(
      async (sql) => (await sql.runLast(KEEP_FIREBASE_TOKEN, [appId, id, firebaseToken])).length > 0,
    );
  }

  async purgeEnded(): Promise<boolean> {
    const cutoff = addHours(this.clock.now(), -ENDED_SESSION_RETENTION_HOURS);
    const endedSessions = await this.database.rows<{ readonly appId: number; readonly id: number }>(
      FIND_ENDED_SESSIONS,
      [cutoff],
    );
    for (const appId of new Set(endedSessions.map((session) => session.appId))) {
      const ids = endedSessions.filter((session) => session.appId === appId).map(({ id }) => id);
      await this.database.rows(REMOVE_SESSIONS, [appId, ids, cutoff]);
    }
    return endedSessions.length === REMOVED_AT_ONCE;
  }
}
