import { formatDateTime, IS_INVALID, MALFORMED, parsePage } from '@back-office/kernel';
import { type Attendance, type AttendanceQueries, type Attendances, MAX_DISTANCE_M } from '@back-office/locations';
import { answerWith, created, ok } from '../http/answer.js';
import { PAGING } from '../http/query-parameters.js';
import { Amount, ValidatedBy, Wrapper } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { dateTime, integer, listOf, component, record, type TypeOf } from '../http/shapes.js';

function Degrees(max: number): PropertyDecorator {
  const validate = (value: unknown): string | undefined => {
    if (typeof value !== 'number') return MALFORMED;
    return Math.abs(value) <= max ? undefined : IS_INVALID;
  };
  return ValidatedBy(validate, { type: 'number', minimum: -max, maximum: max });
}

class AttendanceFields {
  @Degrees(90) latitude!: number;
  @Degrees(180) longitude!: number;
  @Amount({ min: 0, optional: true }) accuracy?: number | null;
}

class PostAttendance {
  @Wrapper(() => AttendanceFields) attendance!: AttendanceFields;
}

const AttendanceShape = component('CustomerAttendance', {
  id: integer,
  app_location_id: integer,
  distance_m: integer,
  inserted_at: dateTime,
});

const DEFAULT_LIMIT = 30;

export function attendanceRoutes(attendances: Attendances, queries: AttendanceQueries): Route[] {
  return [
    route({
      method: 'post',
      path: '/customer/attendance',
      caller: 'customer',
      summary: `Records a visit of the signed-in customer to the nearest location within ${MAX_DISTANCE_M} m`,
      body: PostAttendance,
      answers: { 201: record({ data: AttendanceShape }) },
      refusals: ['API.CustomerAttendances.NoLocationNearby'],
      handle: async ({ app, customerId, body }) => {
        const attendance = await attendances.add(app.id, customerId, body.attendance);
        return answerWith(attendance, (row) => created(presentAttendance(row)));
      },
    }),
    route({
      method: 'get',
      path: '/customer/attendances',
      caller: 'customer',
      summary: "Lists the signed-in customer's visits, newest first",
      query: PAGING,
      answers: { 200: record({ data: listOf(AttendanceShape) }) },
      handle: async ({ app, customerId, query }) => {
        const rows = await queries.list(app.id, customerId, parsePage(query, DEFAULT_LIMIT));
        return ok(rows.map(presentAttendance));
      },
    }),
  ];
}

function presentAttendance(row: Attendance): TypeOf<typeof AttendanceShape> {
  return {
    id: row.id,
    app_location_id: row.app_location_id,
    distance_m: row.distance_m,
    inserted_at: formatDateTime(row.inserted_at),
  };
}
