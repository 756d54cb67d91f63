import { erasedEmail } from '@back-office/customers';
import { refuse, type Clock, type Page, type Refusal } from '@back-office/kernel';
import {
  type Attendance,
  type AttendanceQueries,
  type Attendances,
  EARTH_RADIUS_M,
  MAX_DISTANCE_M,
  type Coordinates,
} from '@back-office/locations';
import type { Postgres } from '../connection/postgres.js';
import { ATTENDANCES } from '../tables/locations.js';

const ATTENDANCE_COLUMNS = ATTENDANCES.columns.pick('id', 'app_location_id', 'distance_m', 'inserted_at');

// Radius of the search in degrees of latitude, with a margin of 0.1 % for rounding.
const BAND_DEGREES = (MAX_DISTANCE_M / EARTH_RADIUS_M) * (180 / Math.PI) * 1.001;

// An index selects a band of latitudes; then the haversine distance selects the nearest location. A band of longitudes
// would need special cases for the antimeridian and the poles.
const INSERT_NEAREST = `
  with nearest as (
    select l.id, d.metres from app_locations l cross join lateral (
      select 2 * ${EARTH_RADIUS_M} * asin(least(1, sqrt(
        sin(radians(l.latitude - $3::float8) / 2) ^ 2
        + cos(radians($3::float8)) * cos(radians(l.latitude)) * sin(radians(l.longitude - $4::float8) / 2) ^ 2
      ))) as metres
    ) as d
    where l.app_id = $1 and l.latitude between $3::float8 - ${BAND_DEGREES} and $3::float8 + ${BAND_DEGREES} and d.metres <= ${MAX_DISTANCE_M}
    order by d.metres, l.id limit 1
  ), visitor as (
    select id from customers where app_id = $1 and id = $2 and email <> $7 for key share
  )
  insert into customer_attendances
    (app_id, customer_id, app_location_id, latitude, longitude, accuracy, distance_m, inserted_at)
  select $1, visitor.id, nearest.id, $3, $4, $5, round(metres)::int, $6 from nearest, visitor
  returning ${ATTENDANCE_COLUMNS.list}`;

const LIST_ATTENDANCES = `
  select ${ATTENDANCE_COLUMNS.list} from customer_attendances
  where app_id = $1 and customer_id = $2 order by inserted_at desc, id desc offset $3 limit $4`;

export class SqlAttendances implements Attendances, AttendanceQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  add(
    appId: number,
    customerId: number,
    { latitude, longitude, accuracy }: Coordinates,
  ): Promise<Attendance | Refusal> {
    const values = [
      appId,
      customerId,
      latitude,
      longitude,
      accuracy ?? null,
      this.clock.now(),
      erasedEmail(customerId),
    ];
    return this.database.write(async (sql) => {
      const [attendance] = await sql.runLast<Attendance>(INSERT_NEAREST, values);
      return attendance ?? refuse('API.CustomerAttendances.NoLocationNearby');
    });
  }

  list(appId: number, customerId: number, { offset, limit }: Page): Promise<Attendance[]> {
    return this.database.rows(LIST_ATTENDANCES, [appId, customerId, offset, limit]);
  }
}
