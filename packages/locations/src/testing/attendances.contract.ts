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

export interface AttendanceFixture {
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
const moveNorth = ([latitude, longitude]: Point, metres: number): Point => [
  latitude + metres * DEGREES_PER_METRE,
  longitude,
];
const ALL = { offset: 0, limit: 100 };

export function attendancesContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<AttendanceFixture>,
): void {
  let fixture: AttendanceFixture;
  let appId: number;
  let ownCustomerId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
    ownCustomerId = (await fixture.addCustomer(appId)).id;
  });

  const addLocations = async (...points: Point[]): Promise<(number | null)[]> => {
    const rows = points.map(([latitude, longitude]) => ({ name: 'Store', latitude, longitude }));
    const app = { id: appId, settings: { media: { prefix: 'abcdefgh' } } };
    const { locations } = await fixture.locations.put(app, rows);
    return (locations as WrittenLocation[]).map(({ id }) => id);
  };
  const recordVisit = ([latitude, longitude]: Point, customerId = ownCustomerId, ownerAppId = appId) =>
    fixture.attendances.add(ownerAppId, customerId, { latitude, longitude });
  const visitResult = async (point: Point) => {
    const visit = await recordVisit(point);
    if (!isRefusal(visit)) return [visit.app_location_id, visit.distance_m];
    expect(visit).toEqual({ refused: 'API.CustomerAttendances.NoLocationNearby' });
    return undefined;
  };
  const list = (page = ALL, customerId = ownCustomerId, ownerAppId = appId) =>
    fixture.attendanceQueries.list(ownerAppId, customerId, page);

  describe('a visit', () => {
    it('is recorded at the nearest location', async () => {
      const [store] = await addLocations(STORE);
      const visit = await recordVisit(moveNorth(STORE, 50));
      expect(visit).toEqual({
        id: expect.any(Number),
        app_location_id: store,
        distance_m: 50,
        inserted_at: fixture.clock.now(),
      });
      expect(await list()).toEqual([visit]);
    });

    it('belongs to the nearest location, or to the first of equally distant ones', async () => {
      const ids = await addLocations(
        moveNorth(STORE, 120),
        moveNorth(STORE, 60),
        moveNorth(STORE, -90),
        moveNorth(STORE, 60),
      );
      expect(await visitResult(STORE)).toEqual([ids[1], 60]);
      expect(await visitResult(moveNorth(STORE, 101))).toEqual([ids[0], 19]);
    });

    eachCase(it, [
      ['0 m away', 0, 0],
      ['199 m to the north', 199, 199],
      ['199 m to the south', -199, 199],
      ['almost 200 m away', 199.9, 200],
    ] as [string, number, number][])('is recorded when the phone is %s', async (_, metres, distance) => {
      const [store] = await addLocations(STORE);
      expect(await visitResult(moveNorth(STORE, metres))).toEqual([store, distance]);
    });

    eachCase(it, [
      ['over 200 m to the north', moveNorth(STORE, 200.2)],
      ['over 200 m to the south', moveNorth(STORE, -200.2)],
      ['far away on its latitude', [STORE[0], -STORE[1]]],
      ['on the other side of the Earth', [-STORE[0], STORE[1] - 180]],
    ] as [string, Point][])('is refused and not recorded when the phone is %s', async (_, point) => {
      await addLocations(STORE);
      expect(await visitResult(point)).toBeUndefined();
      expect(await list()).toEqual([]);
    });

    it('has the correct distance across the antimeridian and at a pole', async () => {
      const [firstId, secondId] = await addLocations([10, 180], [90, 0]);
      expect(await visitResult([10, -180])).toEqual([firstId, 0]);
      expect(await visitResult([89.9995, 120])).toEqual([secondId, 56]);
    });

    it('is refused when only another app has locations, or when there are none', async () => {
      expect(await visitResult(STORE)).toBeUndefined();
      await addLocations(STORE);
      const otherAppId = await fixture.makeApp();
      const { id } = await fixture.addCustomer(otherAppId);
      expect(await recordVisit(STORE, id, otherAppId)).toHaveProperty('refused');
    });
  });

  describe('the visits of a customer', () => {
    it('are listed newest first, in pages', async () => {
      await addLocations(STORE);
      const visits: Attendance[] = [];
      for (const seconds of [0, 60, 0, -30]) {
        fixture.clock.forward({ seconds });
        visits.push((await recordVisit(STORE)) as Attendance);
      }
      const [a, b, c, d] = visits;
      expect(await list()).toEqual([c, b, d, a]);
      const pages = await Promise.all([0, 3, 6].map((offset) => list({ offset, limit: 3 })));
      expect(pages).toEqual([[c, b, d], [a], []]);
    });

    it('belong to one customer only', async () => {
      await addLocations(STORE);
      await recordVisit(STORE);
      const otherCustomer = await fixture.addCustomer(appId);
      expect([await list(ALL, otherCustomer.id), await list(ALL, 987_654_321)]).toEqual([[], []]);
      expect(await list(ALL, ownCustomerId, await fixture.makeApp())).toEqual([]);
    });
  });
}
