import { formatDateTime, parsePage } from '@back-office/kernel';
import { type Attendance, type AttendanceQueries, type Attendances, MAX_DISTANCE_M } from '@back-office/locations';
import { answerWith, created, ok } from '../http/answer.js';
import { PAGING } from '../http/query-parameters.js';
import { IsNumber, IsOptional, Max, Min, Type, ValidateNested, Wrapper } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { dateTime, integer, listOf, component, record, type TypeOf } from '../http/shapes.js';

/** A number such as 1e999 has the right type, but is out of range. */
const OF_ANY_SIZE = { allowInfinity: true };

class AttendanceFields {
  @IsNumber(OF_ANY_SIZE) @Min(-90) @Max(90) latitude!: number;
  @IsNumber(OF_ANY_SIZE) @Min(-180) @Max(180) longitude!: number;
  @IsOptional() @IsNumber() @Min(0) accuracy?: number | null;
}

class PostAttendance {
  @Wrapper() @ValidateNested() @Type(() => AttendanceFields) attendance!: AttendanceFields;
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
