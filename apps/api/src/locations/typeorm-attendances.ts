import { refuse, type Clock, type Page, type Refusal } from '@back-office/kernel';
import type { Database } from '../database/database.js';

export const FARTHEST_M = 200;
const EARTH_RADIUS_M = 6_371_008.8;
/** Degrees of latitude that no circle of that radius leaves, wherever it is; a hair more than it measures. */
const BAND = (FARTHEST_M / EARTH_RADIUS_M) * (180 / Math.PI) * 1.001;

/**
 * A band of latitudes, by index, and within it the distance along the Earth's surface (haversine). There is no box of
 * longitudes: it would have to wrap at the antimeridian and to widen to all of them at the poles, which the distance
 * does by itself.
 */
const INSERT = `
  with nearest as (
    select l.id, d.metres from app_locations l cross join lateral (
      select 2 * ${EARTH_RADIUS_M} * asin(least(1, sqrt(
        sin(radians(l.latitude - $3::float8) / 2) ^ 2
        + cos(radians($3::float8)) * cos(radians(l.latitude)) * sin(radians(l.longitude - $4::float8) / 2) ^ 2
      ))) as metres
    ) as d
    where l.app_id = $1 and l.latitude between $3::float8 - ${BAND} and $3::float8 + ${BAND} and d.metres <= ${FARTHEST_M}
    order by d.metres, l.id limit 1
  )
  insert into customer_attendances
    (app_id, customer_id, app_location_id, latitude, longitude, accuracy, distance_m, inserted_at)
  select $1, $2, id, $3, $4, $5, round(metres)::int, $6 from nearest
  returning id, app_location_id, distance_m, inserted_at`;

const LIST = `
  select id, app_location_id, distance_m, inserted_at from customer_attendances
  where app_id = $1 and customer_id = $2 order by inserted_at desc, id desc offset $3 limit $4`;

/** Where a phone says that it is, in degrees; the accuracy in metres is only kept. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
  readonly accuracy?: number | null | undefined;
}

export interface AttendanceRow {
  readonly id: number;
  readonly app_location_id: number;
  readonly distance_m: number;
  readonly inserted_at: Date;
}

/** Visits of customers to the app's locations. */
export class TypeOrmAttendances {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Records a visit to the nearest location, if one is near enough. */
  add(
    appId: number,
    customerId: number,
    { latitude, longitude, accuracy }: Position,
  ): Promise<AttendanceRow | Refusal> {
    const values = [appId, customerId, latitude, longitude, accuracy ?? null, this.clock.now()];
    return this.database.write(async (sql) => {
      const [added] = await sql.last<AttendanceRow>(INSERT, values);
      return added ?? refuse('API.CustomerAttendances.NoLocationNearby');
    });
  }

  /** Newest first. */
  list(appId: number, customerId: number, { offset, limit }: Page): Promise<AttendanceRow[]> {
    return this.database.rows(LIST, [appId, customerId, offset, limit]);
  }
}
