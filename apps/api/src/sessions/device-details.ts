import { isBlank } from '@back-office/kernel';
import { Text } from '../http/request-fields.js';

const optional = true;

/** What an app may tell of the device that it runs on. */
export class DeviceDetailFields {
  @Text({ optional }) device_type?: string | null;
  @Text({ optional }) device_vendor?: string | null;
  @Text({ optional }) mobile_info?: string | null;
}

/** Null is what nobody told. */
export interface DeviceDetails {
  readonly type: string | null;
  readonly vendor: string | null;
  readonly mobileInfo: string | null;
}

export function deviceDetailsOf(fields: DeviceDetailFields): DeviceDetails {
  const { device_type: type, device_vendor: vendor, mobile_info: mobileInfo } = fields;
  return { type: told(type), vendor: told(vendor), mobileInfo: told(mobileInfo) };
}

function told(detail: string | null | undefined): string | null {
  return detail === undefined || detail === null || isBlank(detail) ? null : detail;
}
