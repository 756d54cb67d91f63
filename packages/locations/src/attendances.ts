import type { Page, Refusal } from '@back-office/kernel';

/** Maximum distance of a customer from a location, in metres. */
export const MAX_DISTANCE_M = 200;

/** Position of a phone in degrees; the accuracy in metres is only stored. */
export interface Position {
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
   * Records a visit to the nearest location of the app; of several at the same distance, the one with the lowest id.
   * Refused with `API.CustomerAttendances.NoLocationNearby` when none is within 200 m. A repeat is another visit.
   */
  add(appId: number, customerId: number, position: Position): Promise<Attendance | Refusal>;
}

export interface AttendanceQueries {
  /** One page of a customer's visits, newest first; empty when the app has no such customer. */
  list(appId: number, customerId: number, page: Page): Promise<Attendance[]>;
}
