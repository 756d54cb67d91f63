import type { MobileInfo } from '@back-office/kernel';

/** Returns the values of `mobile_info` and `mobile_info_is_object`: an object is stored as JSON text. */
export function mobileInfoColumns(info: MobileInfo | null): [info: string | null, isObject: boolean] {
  return typeof info === 'object' && info !== null ? [JSON.stringify(info), true] : [info, false];
}

export function mobileInfoSql(alias: string): string {
  return `case when ${alias}.mobile_info_is_object then ${alias}.mobile_info::json else to_json(${alias}.mobile_info) end`;
}
