/** A text, or an object of the caller's own fields. */
export type MobileInfo = string | Readonly<Record<string, unknown>>;

export interface DeviceDetails {
  readonly type: string | null;
  readonly vendor: string | null;
  readonly mobileInfo: MobileInfo | null;
}
