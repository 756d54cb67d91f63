import { isRefusal } from '@back-office/kernel';
import { eachCase, type ManualClock, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import {
  type Attendance,
  type AttendanceQueries,
  type Attendances,
  EARTH_RADIUS_M,
  type Locations,
  type WrittenLocation,
} from '../index.js';

export interface GivenAttendances {
  readonly attendances: Attendances;
  readonly attendanceQueries: AttendanceQueries;
  readonly locations: Locations;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  addCustomer(appId: number): Promise<{ readonly id: number }>;
  close(): Promise<void>;
}

type Point = readonly [latitude: number, longitude: number];

const STORE: Point = [44.8125, 20.4612];
const DEGREES_PER_METRE = 180 / Math.PI / EARTH_RADIUS_M;
const north = ([latitude, longitude]: Point, metres: number): Point => [
  latitude + metres * DEGREES_PER_METRE,
  longitude,
];
const ALL = { offset: 0, limit: 100 };

/** The adapter may hold attendances of other apps. */
export function attendancesContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenAttendances>,
): void {
  let given: GivenAttendances;
  let appId: number;
  let customer: number;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    appId = await given.makeApp();
    customer = (await given.addCustomer(appId)).id;
  });

  const locate = async (...points: Point[]): Promise<(number | null)[]> => {
    const rows = points.map(([latitude, longitude]) => ({ name: 'Store', latitude, longitude }));
    const app = { id: appId, settings: { media: { prefix: 'abcdefgh' } } };
    const { locations } = await given.locations.put(app, rows);
    return (locations as WrittenLocation[]).map(({ id }) => id);
  };
  const attend = ([latitude, longitude]: Point, who = customer, app = appId) =>
    given.attendances.add(app, who, { latitude, longitude });
  const visited = async (point: Point) => {
    const visit = await attend(point);
    if (!isRefusal(visit)) return [visit.app_location_id, visit.distance_m];
    expect(visit).toEqual({ refused: 'API.CustomerAttendances.NoLocationNearby' });
    return undefined;
  };
  const list = (page = ALL, who = customer, app = appId) => given.attendanceQueries.list(app, who, page);

  describe('a visit', () => {
    it('is recorded at the nearest location', async () => {
      const [store] = await locate(STORE);
      const visit = await attend(north(STORE, 50));
      expect(visit).toEqual({
        id: expect.any(Number),
        app_location_id: store,
        distance_m: 50,
        inserted_at: given.clock.now(),
      });
      expect(await list()).toEqual([visit]);
    });

    it('takes the nearest of several, the first at equal distance', async () => {
      const ids = await locate(north(STORE, 120), north(STORE, 60), north(STORE, -90), north(STORE, 60));
      expect(await visited(STORE)).toEqual([ids[1], 60]);
      expect(await visited(north(STORE, 101))).toEqual([ids[0], 19]);
    });

    eachCase(it, [
      ['at it', 0, 0],
      ['199 m to the north', 199, 199],
      ['199 m to the south', -199, 199],
      ['almost 200 m away', 199.9, 200],
    ] as [string, number, number][])('counts %s', async (_, metres, distance) => {
      const [store] = await locate(STORE);
      expect(await visited(north(STORE, metres))).toEqual([store, distance]);
    });

    eachCase(it, [
      ['over 200 m to the north', north(STORE, 200.2)],
      ['over 200 m to the south', north(STORE, -200.2)],
      ['far away on its latitude', [STORE[0], -STORE[1]]],
      ['on the other side of the Earth', [-STORE[0], STORE[1] - 180]],
    ] as [string, Point][])('is refused %s, and not recorded', async (_, point) => {
      await locate(STORE);
      expect(await visited(point)).toBeUndefined();
      expect(await list()).toEqual([]);
    });

    it('is measured across the antimeridian and at a pole', async () => {
      const [first, second] = await locate([10, 180], [90, 0]);
      expect(await visited([10, -180])).toEqual([first, 0]);
      expect(await visited([89.9995, 120])).toEqual([second, 56]);
    });

    it('is refused at a location of another app or without any', async () => {
      expect(await visited(STORE)).toBeUndefined();
      await locate(STORE);
      const other = await given.makeApp();
      const { id } = await given.addCustomer(other);
      expect(await attend(STORE, id, other)).toHaveProperty('refused');
    });
  });

  describe('the visits of a customer', () => {
    it('are listed newest first, in pages', async () => {
      await locate(STORE);
      const visits: Attendance[] = [];
      for (const seconds of [0, 60, 0, -30]) {
        given.clock.forward({ seconds });
        visits.push((await attend(STORE)) as Attendance);
      }
      const [a, b, c, d] = visits;
      expect(await list()).toEqual([c, b, d, a]);
      const pages = await Promise.all([0, 3, 6].map((offset) => list({ offset, limit: 3 })));
      expect(pages).toEqual([[c, b, d], [a], []]);
    });

    it('belong to that customer only', async () => {
      await locate(STORE);
      await attend(STORE);
      const other = await given.addCustomer(appId);
      expect([await list(ALL, other.id), await list(ALL, 987_654_321)]).toEqual([[], []]);
      expect(await list(ALL, customer, await given.makeApp())).toEqual([]);
    });
  });
}
