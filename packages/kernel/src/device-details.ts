export interface DeviceDetails {
  readonly type: string | null;
  readonly vendor: string | null;
  readonly mobileInfo: string | null;
}
