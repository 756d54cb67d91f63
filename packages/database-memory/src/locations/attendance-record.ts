import type { Attendance } from '@back-office/locations';

export interface AttendanceRecord extends Attendance {
  readonly customer_id: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly accuracy: number | null;
}
