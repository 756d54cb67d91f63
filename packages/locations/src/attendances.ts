import type { Page, Refusal } from '@back-office/kernel';

export const MAX_DISTANCE_M = 200;

/** Latitude and longitude are in degrees. The accuracy, in metres, is stored but not used. */
export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
  readonly accuracy?: number | null | undefined;
}

export interface Attendance {
  readonly id: number;
  readonly app_location_id: number;
  readonly distance_m: number;
  readonly inserted_at: Date;
}

export interface Attendances {
  /**
   * Records a visit to the nearest location of the app; if several are equally near, to the one with the lowest id.
   * Refused with `API.CustomerAttendances.NoLocationNearby` when no location is within 200 m. A repeated call records
   * another visit.
   */
  add(appId: number, customerId: number, position: Coordinates): Promise<Attendance | Refusal>;
}

export interface AttendanceQueries {
  /** Returns one page of a customer's visits, newest first; an empty list when the app has no such customer. */
  list(appId: number, customerId: number, page: Page): Promise<Attendance[]>;
}
