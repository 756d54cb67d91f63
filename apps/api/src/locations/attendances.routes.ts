import { formatDateTime, pageOf } from '@back-office/kernel';
import { answered, created, ok } from '../http/answer.js';
import { PAGING } from '../http/query-parameters.js';
import { Amount, IS_INVALID, JudgedBy, MALFORMED, Wrapper } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { dateTime, integer, listOf, named, record, type Of } from '../http/shapes.js';
import { FARTHEST_M, type AttendanceRow, type TypeOrmAttendances } from './typeorm-attendances.js';

/** Degrees from 0 to either side. */
function Degrees(largest: number): PropertyDecorator {
  const judge = (value: unknown): string | undefined => {
    if (typeof value !== 'number') return MALFORMED;
    return Math.abs(value) <= largest ? undefined : IS_INVALID;
  };
  return JudgedBy(judge, { type: 'number', minimum: -largest, maximum: largest });
}

class AttendanceFields {
  @Degrees(90) latitude!: number;
  @Degrees(180) longitude!: number;
  @Amount({ min: 0, optional: true }) accuracy?: number | null;
}

class PostAttendance {
  @Wrapper(() => AttendanceFields) attendance!: AttendanceFields;
}

const AttendanceShape = named('CustomerAttendance', {
  id: integer,
  app_location_id: integer,
  distance_m: integer,
  inserted_at: dateTime,
});

const DEFAULT_LIMIT = 30;

export function attendanceRoutes(attendances: TypeOrmAttendances): Route[] {
  return [
    route({
      method: 'post',
      path: '/customer/attendance',
      caller: 'customer',
      summary: `Records that the signed-in customer is at the nearest location, at most ${FARTHEST_M} m away`,
      body: PostAttendance,
      answers: { 201: record({ data: AttendanceShape }) },
      refusals: ['API.CustomerAttendances.NoLocationNearby'],
      handle: async ({ app, customerId, body }) => {
        const added = await attendances.add(app.id, customerId, body.attendance);
        return answered(added, (row) => created(presentAttendance(row)));
      },
    }),
    route({
      method: 'get',
      path: '/customer/attendances',
      caller: 'customer',
      summary: "The signed-in customer's visits, newest first",
      query: PAGING,
      answers: { 200: record({ data: listOf(AttendanceShape) }) },
      handle: async ({ app, customerId, query }) => {
        const rows = await attendances.list(app.id, customerId, pageOf(query, DEFAULT_LIMIT));
        return ok(rows.map(presentAttendance));
      },
    }),
  ];
}

function presentAttendance(row: AttendanceRow): Of<typeof AttendanceShape> {
  return {
    id: row.id,
    app_location_id: row.app_location_id,
    distance_m: row.distance_m,
    inserted_at: formatDateTime(row.inserted_at),
  };
}
