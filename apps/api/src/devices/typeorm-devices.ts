import type { Clock } from '@back-office/kernel';
import type { Database } from '../database/database.js';
import type { DeviceDetails } from '../sessions/index.js';

export const PUSH_CHANNEL_ID = 3;

/** Sessions that were started before they told of their device are taken for one device each. */
const DEVICE_UUID = `coalesce(t.device_uuid, 'session-' || t.id)`;

/** A messaging token has no row that could be locked before there is one. Two that share a hash take turns for nothing. */
const LOCK_TOKEN = 'select pg_advisory_xact_lock($1, hashtext($2))';
const DEVICES = 13;

/** A session that has ended takes no token from anybody, though a server may still know it for a moment. */
const HOLD_SESSION = `
  select id from access_tokens where app_id = $1 and id = $2 and revoked_at is null for share`;

/**
 * Whoever had the token before must not get what is meant for the customer who has it now. The device of the session is
 * locked along, all in the order of their ids: two devices may exchange their tokens.
 */
const REMOVE_COPIES = `
  with locked as (
    select d.id, d.customer_id = t.customer_id and d.uuid = ${DEVICE_UUID} as is_own
    from access_tokens t join notification_devices d on d.app_id = $1
      and (d.messaging_token = $3 or d.customer_id = t.customer_id and d.uuid = ${DEVICE_UUID})
    where t.app_id = $1 and t.id = $2
    order by d.id for update of d
  )
  delete from notification_devices d using locked where d.app_id = $1 and d.id = locked.id and not locked.is_own`;

const REGISTER = `
  insert into notification_devices as d (app_id, customer_id, uuid, messaging_token, notification_channel_id,
    device_type, device_vendor, mobile_info, inserted_at, updated_at)
  select t.app_id, t.customer_id, ${DEVICE_UUID}, $3, ${PUSH_CHANNEL_ID}, coalesce($4::text, t.device_type),
    coalesce($5::text, t.device_vendor), coalesce($6::text, t.mobile_info), $7, $7
  from access_tokens t where t.app_id = $1 and t.id = $2 and t.customer_id is not null
  on conflict (app_id, customer_id, uuid) do update set messaging_token = excluded.messaging_token,
    device_type = coalesce(excluded.device_type, d.device_type),
    device_vendor = coalesce(excluded.device_vendor, d.device_vendor),
    mobile_info = coalesce(excluded.mobile_info, d.mobile_info), updated_at = excluded.updated_at
  returning id, uuid, messaging_token, notification_channel_id, device_type, device_vendor, mobile_info,
    inserted_at, updated_at`;

/** Details that are null are those that the session told, or else what was known before. */
export interface NewDevice extends DeviceDetails {
  readonly messagingToken: string;
}

export interface DeviceRow {
  readonly id: number;
  readonly uuid: string;
  readonly messaging_token: string;
  readonly notification_channel_id: number;
  readonly device_type: string | null;
  readonly device_vendor: string | null;
  readonly mobile_info: string | null;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

/** Devices that are sent what concerns a customer. A messaging token is held by one of them in each app. */
export class TypeOrmDevices {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Stores the token with the device of a session, and takes it from every other one of the app; not once it has ended. */
  register(appId: number, sessionId: number, device: NewDevice): Promise<DeviceRow | undefined> {
    const { messagingToken, type, vendor, mobileInfo } = device;
    return this.database.transaction(async (transaction) => {
      transaction.locks('bulk');
      await transaction.rows(LOCK_TOKEN, [DEVICES, JSON.stringify([appId, messagingToken])]);
      transaction.locks('device');
      if ((await transaction.rows(HOLD_SESSION, [appId, sessionId])).length === 0) return undefined;
      await transaction.rows(REMOVE_COPIES, [appId, sessionId, messagingToken]);
      const values = [appId, sessionId, messagingToken, type, vendor, mobileInfo, this.clock.now()];
      const [stored] = await transaction.last<DeviceRow>(REGISTER, values);
      return stored;
    });
  }
}
