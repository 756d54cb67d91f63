import { addHours, refuse, type Clock, type Refusal } from '@back-office/kernel';
import { isCustomer, type CustomerName } from '../customers/index.js';
import type { Database } from '../database/database.js';
import type { DeviceDetails } from './device-details.js';
import { hashOfToken, newToken } from '../http/authentication.js';
import { placeholders } from '../database/placeholders.js';

/** Without a customer's name there is none to be found, and the session is anonymous. */
function insert(customer: CustomerName | null, value: (one: unknown) => string): string {
  return `
  insert into access_tokens (app_id, kind, token_hash, language, customer_id, inserted_at, expires_at,
    device_uuid, device_type, device_vendor, mobile_info)
  select $1, 'session', $2, $3, c.id, $4, $5, $6, $7, $8, $9
  from (select 1) as session
  left join customers c on c.app_id = $1 and ${customer === null ? 'false' : isCustomer(customer, value)}
  where c.id is not null or ${customer === null}
  returning id, customer_id`;
}

const END = `
  update access_tokens set revoked_at = coalesce(revoked_at, $3), firebase_token = null
  where app_id = $1 and id = $2 and kind = 'session' returning token_hash`;

const KEPT_HOURS = 30 * 24;
const REMOVED_AT_ONCE = 5_000;

// What is over is found across apps, without locks; it is then removed inside one app at a time. Nothing refers to it:
// visits belong to the customer, and the keys of its calls are forgotten after a day.
const OVER = `kind = 'session' and least(expires_at, revoked_at) <`;
const FIND_OVER = `
  select app_id as "appId", id from access_tokens
  where ${OVER} $1 order by least(expires_at, revoked_at) limit ${REMOVED_AT_ONCE}`;
const REMOVE = `delete from access_tokens where app_id = $1 and id = any($2::bigint[]) and ${OVER} $3`;

const KEEP_FIREBASE_TOKEN = `
  update access_tokens set firebase_token = $3
  where app_id = $1 and id = $2 and kind = 'session' and revoked_at is null returning id`;

/** What the app runs on, as it says itself. */
export interface SessionDevice extends DeviceDetails {
  readonly uuid: string;
}

export interface NewSession {
  /** Null for an anonymous session. */
  readonly customer: CustomerName | null;
  readonly device: SessionDevice;
  readonly language: string | null;
  readonly expiresAt: Date;
}

export interface Session {
  readonly id: number;
  /** Shown this one time: only its SHA-256 is stored. */
  readonly accessToken: string;
  readonly customerId: number | null;
  readonly expiresAt: Date;
}

export class TypeOrmSessions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Refused when the app has no customer of that name. */
  start(appId: number, { customer, device, language, expiresAt }: NewSession): Promise<Session | Refusal> {
    const accessToken = newToken('session');
    const { uuid, type, vendor, mobileInfo } = device;
    const session = [appId, hashOfToken(accessToken), language, this.clock.now(), expiresAt];
    const values: unknown[] = [...session, uuid, type, vendor, mobileInfo];
    const text = insert(customer, placeholders(values));
    return this.database.write(async (sql) => {
      const [made] = await sql.last<{ id: number; customer_id: number | null }>(text, values);
      if (made === undefined) return refuse('API.Customers.NotFound');
      return { id: made.id, accessToken, customerId: made.customer_id, expiresAt };
    });
  }

  /** Ends the session and answers the hash of its token. Ending it again keeps the first time. */
  end(appId: number, id: number): Promise<Buffer | undefined> {
    return this.database.write(async (sql) => {
      const [ended] = await sql.last<{ token_hash: Buffer }>(END, [appId, id, this.clock.now()]);
      return ended?.token_hash;
    });
  }

  /** Stores the push token with the session, in place of an earlier one; false when the session is over. */
  keepFirebaseToken(appId: number, id: number, firebaseToken: string): Promise<boolean> {
    return this.database.write(
      async (sql) => (await sql.last(KEEP_FIREBASE_TOKEN, [appId, id, firebaseToken])).length > 0,
    );
  }

  /** Removes what expired or was ended over 30 days ago, some of it at a time; answers whether there may be more. */
  async removeOver(): Promise<boolean> {
    const end = addHours(this.clock.now(), -KEPT_HOURS);
    const over = await this.database.rows<{ readonly appId: number; readonly id: number }>(FIND_OVER, [end]);
    for (const appId of new Set(over.map((each) => each.appId))) {
      const ids = over.filter((each) => each.appId === appId).map(({ id }) => id);
      await this.database.rows(REMOVE, [appId, ids, end]);
    }
    return over.length === REMOVED_AT_ONCE;
  }
}
