import { erasedEmail } from '@back-office/customers';
import { refuse, type Clock, type Page, type Refusal } from '@back-office/kernel';
import {
  distanceInMetres,
  MAX_DISTANCE_M,
  type Attendance,
  type AttendanceQueries,
  type Attendances,
  type Coordinates,
} from '@back-office/locations';
import { pageOf, sortBy } from '../lists.js';
import type { State } from '../state.js';
import type { AttendanceRecord } from './attendance-record.js';

export class MemoryAttendances implements Attendances, AttendanceQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async add(appId: number, customerId: number, position: Coordinates): Promise<Attendance | Refusal> {
    return this.state.memory.transaction(() => {
      const nearLocations = this.state.locations
        .all(appId)
        .map((location) => ({ id: location.id, metres: distanceInMetres(position, location) }))
        .filter(({ metres }) => metres <= MAX_DISTANCE_M);
      const [nearestLocation] = sortBy(nearLocations, [({ metres }) => metres, ({ id }) => id]);
      const visitor = this.state.customers.get(appId, customerId);
      const isErased = visitor?.email === erasedEmail(customerId);
      if (nearestLocation === undefined || isErased) return refuse('API.CustomerAttendances.NoLocationNearby');
      const { latitude, longitude, accuracy = null } = position;
      return presentAttendance(
        this.state.attendances.insert(appId, {
          customer_id: customerId,
          app_location_id: nearestLocation.id,
          latitude,
          longitude,
          accuracy,
          distance_m: Math.round(nearestLocation.metres),
          inserted_at: this.clock.now(),
        }),
      );
    });
  }

  async list(appId: number, customerId: number, page: Page): Promise<Attendance[]> {
    const visits = this.state.attendances.all(appId).filter(({ customer_id: visitor }) => visitor === customerId);
    const sortedVisits = sortBy(visits, [({ inserted_at: at }) => -at.getTime(), ({ id }) => -id]);
    return pageOf(sortedVisits, page).map(presentAttendance);
  }
}

function presentAttendance({ id, app_location_id, distance_m, inserted_at }: AttendanceRecord): Attendance {
  return { id, app_location_id, distance_m, inserted_at };
}
