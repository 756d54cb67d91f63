/** Device details as reported by a client; null when not reported. */
export interface DeviceDetails {
  readonly type: string | null;
  readonly vendor: string | null;
  readonly mobileInfo: string | null;
}
