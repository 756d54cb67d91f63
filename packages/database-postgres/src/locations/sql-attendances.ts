import { refuse, type Clock, type Page, type Refusal } from '@back-office/kernel';
import {
  type Attendance,
  type AttendanceQueries,
  type Attendances,
  EARTH_RADIUS_M,
  MAX_DISTANCE_M,
  type Position,
} from '@back-office/locations';
import type { Postgres } from '../postgres.js';
import { ATTENDANCES } from '../tables/locations.js';

const SHOWN = ATTENDANCES.columns.pick('id', 'app_location_id', 'distance_m', 'inserted_at');

/** Half the height of the circle in degrees of latitude, with 0.1 % for rounding. */
const BAND = (MAX_DISTANCE_M / EARTH_RADIUS_M) * (180 / Math.PI) * 1.001;

/**
 * Selects a band of latitudes by index, then the haversine distance. There is no band of longitudes: it would have to
 * handle the antimeridian and the poles.
 */
const INSERT = `
  with nearest as (
    select l.id, d.metres from app_locations l cross join lateral (
      select 2 * ${EARTH_RADIUS_M} * asin(least(1, sqrt(
        sin(radians(l.latitude - $3::float8) / 2) ^ 2
        + cos(radians($3::float8)) * cos(radians(l.latitude)) * sin(radians(l.longitude - $4::float8) / 2) ^ 2
      ))) as metres
    ) as d
    where l.app_id = $1 and l.latitude between $3::float8 - ${BAND} and $3::float8 + ${BAND} and d.metres <= ${MAX_DISTANCE_M}
    order by d.metres, l.id limit 1
  )
  insert into customer_attendances
    (app_id, customer_id, app_location_id, latitude, longitude, accuracy, distance_m, inserted_at)
  select $1, $2, id, $3, $4, $5, round(metres)::int, $6 from nearest
  returning ${SHOWN.list}`;

const LIST = `
  select ${SHOWN.list} from customer_attendances
  where app_id = $1 and customer_id = $2 order by inserted_at desc, id desc offset $3 limit $4`;

export class SqlAttendances implements Attendances, AttendanceQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  add(appId: number, customerId: number, { latitude, longitude, accuracy }: Position): Promise<Attendance | Refusal> {
    const values = [appId, customerId, latitude, longitude, accuracy ?? null, this.clock.now()];
    return this.database.write(async (sql) => {
      const [added] = await sql.last<Attendance>(INSERT, values);
      return added ?? refuse('API.CustomerAttendances.NoLocationNearby');
    });
  }

  list(appId: number, customerId: number, { offset, limit }: Page): Promise<Attendance[]> {
    return this.database.rows(LIST, [appId, customerId, offset, limit]);
  }
}
