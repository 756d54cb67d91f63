import { type DeviceDetails, isBlank } from '@back-office/kernel';
import { Text } from '../http/request-fields.js';

const optional = true;

export class DeviceDetailFields {
  @Text({ optional }) device_type?: string | null;
  @Text({ optional }) device_vendor?: string | null;
  @Text({ optional }) mobile_info?: string | null;
}

export function deviceDetailsOf(fields: DeviceDetailFields): DeviceDetails {
  const { device_type: type, device_vendor: vendor, mobile_info: mobileInfo } = fields;
  return { type: blankToNull(type), vendor: blankToNull(vendor), mobileInfo: blankToNull(mobileInfo) };
}

function blankToNull(detail: string | null | undefined): string | null {
  return detail === undefined || detail === null || isBlank(detail) ? null : detail;
}
