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
      const existingDevice = devices.find(appId, (device) => device.customer_id === customerId && device.uuid === uuid);
      for (const otherDevice of devices.all(appId)) {
        if (otherDevice.messaging_token === messagingToken && otherDevice !== existingDevice)
          devices.delete(appId, otherDevice.id);
      }
      const now = this.clock.now();
      const deviceFields = {
        customer_id: customerId,
        uuid,
        messaging_token: messagingToken,
        notification_channel_id: PUSH_CHANNEL_ID,
        device_type: type ?? session.device_type ?? existingDevice?.device_type ?? null,
        device_vendor: vendor ?? session.device_vendor ?? existingDevice?.device_vendor ?? null,
        mobile_info: mobileInfo ?? session.mobile_info ?? existingDevice?.mobile_info ?? null,
        inserted_at: existingDevice?.inserted_at ?? now,
        updated_at: now,
      };
      if (existingDevice === undefined) return presentDevice(devices.insert(appId, deviceFields));
      devices.put(appId, { ...deviceFields, id: existingDevice.id });
      return presentDevice({ ...deviceFields, id: existingDevice.id });
    });
  }
}

const SHOWN_FIELDS = [
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

function presentDevice(record: DeviceRecord): Device {
  return pick(record, SHOWN_FIELDS);
}
