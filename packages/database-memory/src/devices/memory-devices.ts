import { PUSH_CHANNEL_ID, type Device, type Devices, type NewDevice } from '@back-office/consent';
import type { Clock } from '@back-office/kernel';
import { pick } from '../lists.js';
import type { State } from '../state.js';
import type { DeviceRecord } from './device-record.js';

export class MemoryDevices implements Devices {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async register(
    appId: number,
    sessionId: number,
    { messagingToken, type, vendor, mobileInfo }: NewDevice,
  ): Promise<Device | undefined> {
    return this.state.memory.transaction(() => {
      const { accessTokens, devices } = this.state;
      const session = accessTokens.get(appId, sessionId);
      if (!session || session.revoked_at !== null || session.customer_id === null) return undefined;
      const { customer_id: customerId, device_uuid: uuid } = session;
      if (uuid === null) return undefined;
      const own = devices.find(appId, (each) => each.customer_id === customerId && each.uuid === uuid);
      for (const copy of devices.all(appId)) {
        if (copy.messaging_token === messagingToken && copy !== own) devices.delete(appId, copy.id);
      }
      const now = this.clock.now();
      const stored = {
        customer_id: customerId,
        uuid,
        messaging_token: messagingToken,
        notification_channel_id: PUSH_CHANNEL_ID,
        device_type: type ?? session.device_type ?? own?.device_type ?? null,
        device_vendor: vendor ?? session.device_vendor ?? own?.device_vendor ?? null,
        mobile_info: mobileInfo ?? session.mobile_info ?? own?.mobile_info ?? null,
        inserted_at: own?.inserted_at ?? now,
        updated_at: now,
      };
      if (own === undefined) return present(devices.insert(appId, stored));
      devices.put(appId, { ...stored, id: own.id });
      return present({ ...stored, id: own.id });
    });
  }
}

const SHOWN = [
  'id',
  'uuid',
  'messaging_token',
  'notification_channel_id',
  'device_type',
  'device_vendor',
  'mobile_info',
  'inserted_at',
  'updated_at',
] as const satisfies readonly (keyof Device)[];

function present(record: DeviceRecord): Device {
  return pick(record, SHOWN);
}
