import type { Clock, MobileInfo } from '@back-office/kernel';
import type { Postgres } from '../connection/postgres.js';
import { DEVICES } from '../tables/customers.js';
import type { RowOf } from '../tables/define-table.js';
import { mobileInfoColumns } from './mobile-info-columns.js';
import { type Device, type Devices, type NewDevice, PUSH_CHANNEL_ID } from '@back-office/consent';

const DEVICE_COLUMNS = DEVICES.columns.except('app_id', 'customer_id');
const INSERTED_COLUMNS = DEVICE_COLUMNS.pick(
  'uuid',
  'messaging_token',
  'notification_channel_id',
  'device_type',
  'device_vendor',
  'mobile_info',
  'mobile_info_is_object',
  'inserted_at',
  'updated_at',
);

/** The expression of the unique index. */
const tokenHashSql = (token: string): string => `sha256(replace(${token}, '\\', '\\\\')::bytea)`;

const DEVICE_UUID = `coalesce(t.device_uuid, 'session-' || t.id)`;

// Uses an advisory lock, because a new token has no row to lock. Tokens with the same hash share the lock.
const LOCK_TOKEN = 'select pg_advisory_xact_lock($1, hashtext($2))';
const DEVICES_LOCK = 13;

// Checks the session again, because the cache of the service may still contain an ended session.
const LOCK_SESSION = `
  select id from access_tokens
  where app_id = $1 and id = $2 and customer_id is not null and revoked_at is null for share`;

// Deletes devices other than the session's that have this messaging token. They would receive the push messages of this
// customer. Locking in the order of ids prevents a deadlock when two devices swap tokens.
const REMOVE_OTHER_DEVICES = `
  with locked as (
    select d.id, d.customer_id = t.customer_id and d.uuid = ${DEVICE_UUID} as is_own
    from access_tokens t join notification_devices d on d.app_id = $1
      and (${tokenHashSql('d.messaging_token')} = ${tokenHashSql('$3')} or d.customer_id = t.customer_id and d.uuid = ${DEVICE_UUID})
    where t.app_id = $1 and t.id = $2
    order by d.id for update of d
  )
  delete from notification_devices d using locked where d.app_id = $1 and d.id = locked.id and not locked.is_own`;

const REGISTER_DEVICE = `
  with session as (
    select t.customer_id, ${DEVICE_UUID} as uuid, t.device_type, t.device_vendor, t.mobile_info, t.mobile_info_is_object
    from access_tokens t where t.app_id = $1 and t.id = $2
  )
  insert into notification_devices as d (app_id, customer_id, ${INSERTED_COLUMNS.list})
  select $1, customer_id, uuid, $3, ${PUSH_CHANNEL_ID}, coalesce($4::text, device_type),
    coalesce($5::text, device_vendor), coalesce($6::text, mobile_info),
    case when $6::text is null then mobile_info_is_object else $8 end, $7, $7
  from session
  on conflict (app_id, customer_id, uuid) do update set messaging_token = excluded.messaging_token,
    device_type = coalesce(excluded.device_type, d.device_type),
    device_vendor = coalesce(excluded.device_vendor, d.device_vendor),
    mobile_info = coalesce(excluded.mobile_info, d.mobile_info),
    mobile_info_is_object = case when excluded.mobile_info is null then d.mobile_info_is_object
      else excluded.mobile_info_is_object end, updated_at = excluded.updated_at
  returning ${DEVICE_COLUMNS.list}`;

type DeviceRow = RowOf<typeof DEVICES>;

export class SqlDevices implements Devices {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  register(appId: number, sessionId: number, device: NewDevice): Promise<Device | undefined> {
    const { messagingToken, type, vendor, mobileInfo } = device;
    return this.database.transaction(async (transaction) => {
      transaction.locks('bulk');
      await transaction.rows(LOCK_TOKEN, [DEVICES_LOCK, JSON.stringify([appId, messagingToken])]);
      transaction.locks('device');
      if ((await transaction.rows(LOCK_SESSION, [appId, sessionId])).length === 0) return undefined;
      await transaction.rows(REMOVE_OTHER_DEVICES, [appId, sessionId, messagingToken]);
      const [info, isObject] = mobileInfoColumns(mobileInfo);
      const values = [appId, sessionId, messagingToken, type, vendor, info, this.clock.now(), isObject];
      const [row] = await transaction.runLast<DeviceRow>(REGISTER_DEVICE, values);
      return row && fromRow(row);
    });
  }
}

function fromRow({ mobile_info_is_object: isObject, mobile_info: info, ...device }: DeviceRow): Device {
  return { ...device, mobile_info: isObject && info !== null ? (JSON.parse(info) as MobileInfo) : info };
}
