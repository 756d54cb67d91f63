import type { Device } from '@back-office/consent';

export interface DeviceRecord extends Device {
  readonly customer_id: number;
}
