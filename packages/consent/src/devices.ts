import type { DeviceDetails, MobileInfo } from '@back-office/kernel';
import { channelId } from './switches.js';

export const PUSH_CHANNEL_ID = channelId('push');

export interface Device {
  readonly id: number;
  readonly uuid: string;
  readonly messaging_token: string;
  readonly notification_channel_id: number;
  readonly device_type: string | null;
  readonly device_vendor: string | null;
  readonly mobile_info: MobileInfo | null;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

/** A null detail defaults to the detail of the session, then to the stored one. */
export interface NewDevice extends DeviceDetails {
  readonly messagingToken: string;
}

/** A messaging token belongs to at most one device of an app. */
export interface Devices {
  /**
   * Stores the token with the device of the session and removes it from the app's other devices. A repeated call
   * updates the same device. Returns `undefined` when the session has ended, is anonymous or belongs to another app.
   */
  register(appId: number, sessionId: number, device: NewDevice): Promise<Device | undefined>;
}
