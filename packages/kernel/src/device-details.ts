/** Null stands for a detail that the client does not report. */
export interface DeviceDetails {
  readonly type: string | null;
  readonly vendor: string | null;
  readonly mobileInfo: string | null;
}
