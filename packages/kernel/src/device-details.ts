/** Details that the client reports about its device; null when it does not report them. */
export interface DeviceDetails {
  readonly type: string | null;
  readonly vendor: string | null;
  readonly mobileInfo: string | null;
}
