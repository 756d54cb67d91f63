import {
  type DeviceDetails,
  isBlank,
  IS_INVALID,
  isStorable,
  IS_TOO_LONG,
  checkText,
  MALFORMED,
  MAX_STRING_LENGTH,
  type MobileInfo,
} from '@back-office/kernel';
import { isPlainObject } from '../http/nested-values.js';
import { IsOptional, MaxLength, ValidatedBy } from '../http/request-fields.js';

const MAX_INFO_LENGTH = 4_096;

function MobileInfoField(): PropertyDecorator {
  const texts = { type: 'string', maxLength: MAX_STRING_LENGTH } as const;
  const schema = { anyOf: [texts, { type: 'object' as const, additionalProperties: true }, { type: 'null' as const }] };
  return ValidatedBy(checkMobileInfo, schema);
}

function checkMobileInfo(value: unknown): string | undefined {
  if (typeof value === 'string') return checkText(value, MAX_STRING_LENGTH, true);
  if (!isPlainObject(value)) return MALFORMED;
  if (!hasShortJson(value)) return IS_TOO_LONG;
  return hasStorableTexts(value) ? undefined : IS_INVALID;
}

function hasStorableTexts(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => isStorable(name) && hasStorableTexts(inner));
}

function hasShortJson(value: object): boolean {
  try {
    return JSON.stringify(value).length <= MAX_INFO_LENGTH;
  } catch {
    // The value is nested too deeply, so its text is also too long.
    return false;
  }
}

export class DeviceDetailFields {
  @IsOptional() @MaxLength(255) device_type?: string | null;
  @IsOptional() @MaxLength(255) device_vendor?: string | null;
  @IsOptional() @MobileInfoField() mobile_info?: MobileInfo | null;
}

export function deviceDetailsOf(fields: DeviceDetailFields): DeviceDetails {
  const { device_type: type, device_vendor: vendor, mobile_info: mobileInfo } = fields;
  return { type: blankToNull(type), vendor: blankToNull(vendor), mobileInfo: blankToNull(mobileInfo) };
}

function blankToNull<Detail extends MobileInfo>(detail: Detail | null | undefined): Detail | null {
  return detail === undefined || detail === null || (typeof detail === 'string' && isBlank(detail)) ? null : detail;
}
