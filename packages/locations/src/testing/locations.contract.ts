import type { BulkOptions } from '@back-office/kernel';
import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { DesiredLocation, Locations, WrittenLocation } from '../index.js';

export interface LocationFixture {
  readonly locations: Locations;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  /** Returns usages of files that the media library does not have. Without this member, the contract skips usages. */
  brokenUsages?(appId: number): Promise<readonly object[]>;
  close(): Promise<void>;
}

const EMPTY = { code: null, external_ref: null, address_line_1: null, city: null, postcode: null, image_url: null };
const TAKEN = 'API.AppLocations.ExternalRefAlreadyExists';

export function locationsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<LocationFixture>,
): void {
  let fixture: LocationFixture;
  let appId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
  });

  const makeRow = (overrides: Partial<DesiredLocation> = {}): DesiredLocation => ({
    name: 'Store',
    latitude: 44.8125,
    longitude: -20.461_234_567,
    ...overrides,
  });
  const tryToPut = (rows: readonly (DesiredLocation | string)[], options?: BulkOptions, targetAppId = appId) =>
    fixture.locations.put({ id: targetAppId, settings: { media: { prefix: 'abcdefgh' } } }, rows, options);
  const put = async (...rows: DesiredLocation[]): Promise<WrittenLocation[]> => {
    const { locations } = await tryToPut(rows);
    for (const location of locations) expect(location).toHaveProperty('name');
    return locations as WrittenLocation[];
  };
  const currentDates = () => ({ inserted_at: fixture.clock.now(), updated_at: fixture.clock.now() });
  const idOf = (location: WrittenLocation | undefined) => location?.id;

  describe('locations', () => {
    it('are added and returned in input order', async () => {
      const allFields = {
        code: 'Z',
        external_ref: 'r',
        address_line_1: 'Put 1',
        city: 'Niš',
        postcode: '18000',
        image_url: 'https://media.example/abcdefgh/store.jpg',
      };
      const [firstLocation, secondLocation] = await put(makeRow(allFields), makeRow());
      expect(firstLocation).toEqual({ id: expect.any(Number), ...makeRow(allFields), ...currentDates() });
      expect(secondLocation).toEqual({ id: expect.any(Number), ...EMPTY, ...makeRow(), ...currentDates() });
      expect(Number(idOf(secondLocation))).toBeGreaterThan(Number(idOf(firstLocation)));
    });

    it('keep absent fields and clear null ones', async () => {
      const [firstVersion] = await put(makeRow({ code: 'A', city: 'Niš', postcode: '18000' }));
      fixture.clock.forward({ seconds: 60 });
      const [secondVersion] = await put(makeRow({ code: 'A', name: 'New', city: null, latitude: -1.5 }));
      expect(secondVersion).toEqual({
        ...firstVersion,
        name: 'New',
        city: null,
        latitude: -1.5,
        updated_at: fixture.clock.now(),
      });
    });

    it('match exactly by code, then by reference', async () => {
      const [a, b] = await put(makeRow({ code: 'A', external_ref: 'ra' }), makeRow({ code: 'B', external_ref: 'rb' }));
      const matchedLocations = await put(
        makeRow({ code: 'A' }),
        makeRow({ external_ref: 'rb' }),
        makeRow({ code: 'C', external_ref: 'rb' }),
      );
      expect(matchedLocations.map(idOf)).toEqual([a, b, b].map(idOf));
      expect(matchedLocations[2]).toMatchObject({ code: 'C', external_ref: 'rb' });
      const newLocations = await put(
        makeRow({ code: 'a' }),
        makeRow({ code: ' A' }),
        makeRow({ external_ref: 'RA' }),
        makeRow({ code: 'ra' }),
      );
      for (const newLocation of newLocations) expect([a, b].map(idOf)).not.toContain(idOf(newLocation));
    });

    it('store their reference trimmed and their code as sent', async () => {
      const row = makeRow({ code: ' A ', external_ref: ' r ' });
      const [first, second] = await put(row, makeRow({ external_ref: ' r' }));
      expect([first, second]).toMatchObject([{ code: ' A ', external_ref: 'r' }, { id: idOf(first) }]);
      expect((await put(row, makeRow({ external_ref: 'r' }), makeRow({ external_ref: '\tr' }))).map(idOf)).toEqual(
        [first, first, first].map(idOf),
      );
      const { locations } = await tryToPut([makeRow({ code: 'B' }), makeRow({ code: 'B', external_ref: 'r ' })]);
      expect(locations).toMatchObject([{ code: 'B' }, 'API.AppLocations.ExternalRefAlreadyExists']);
    });

    it('get the values of the last row that matches them', async () => {
      const putLocations = await put(
        makeRow({ code: 'A', name: 'first', external_ref: 'r' }),
        makeRow({ external_ref: 'r', name: 'last' }),
      );
      expect(putLocations[0]).toEqual(putLocations[1]);
      expect(putLocations[1]).toMatchObject({ code: 'A', external_ref: 'r', name: 'last' });
    });

    it('are added by every call when they have neither code nor reference', async () => {
      const ids = (await put(makeRow(), makeRow())).map(idOf);
      expect(new Set([...ids, ...(await put(makeRow())).map(idOf)]).size).toBe(3);
    });

    it('can get the reference or code of another location that changes in the same call', async () => {
      const [a, b] = await put(makeRow({ code: 'A', external_ref: 'r' }), makeRow({ code: 'B' }));
      const exchangedLocations = await put(
        makeRow({ code: 'A', external_ref: null }),
        makeRow({ code: 'B', external_ref: 'r' }),
      );
      expect(exchangedLocations).toMatchObject([
        { id: idOf(a), external_ref: null },
        { id: idOf(b), external_ref: 'r' },
      ]);
      const renamedLocations = await put(makeRow({ code: 'X', external_ref: 'r' }), makeRow({ code: 'B' }));
      expect(renamedLocations).toMatchObject([{ id: idOf(b), code: 'X' }, { code: 'B' }]);
      expect(idOf(renamedLocations[1])).not.toBe(idOf(b));
    });

    it('are separate from locations of other apps with the same code or reference', async () => {
      const [ownLocation] = await put(makeRow({ code: 'A', external_ref: 'r' }));
      const { locations } = await tryToPut([makeRow({ code: 'A', external_ref: 'r' })], {}, await fixture.makeApp());
      expect(idOf(locations[0] as WrittenLocation)).not.toBe(idOf(ownLocation));
    });
  });

  describe('the row of a location', () => {
    it('is returned as a message key when invalid, while the other rows are written', async () => {
      const { locations, explain } = await tryToPut(['API.x', makeRow({ code: 'A' })]);
      expect(locations).toMatchObject(['API.x', { code: 'A' }]);
      expect(explain).toBeUndefined();
      expect((await tryToPut([])).locations).toEqual([]);
    });

    it('cannot take the reference of another location', async () => {
      const [a] = await put(makeRow({ code: 'A', external_ref: 'ra' }), makeRow({ code: 'B', external_ref: 'rb' }));
      const { locations } = await tryToPut([
        makeRow({ code: 'A', external_ref: 'rb', name: 'New' }),
        makeRow({ code: 'C' }),
      ]);
      expect(locations).toMatchObject([TAKEN, { code: 'C' }]);
      expect(await put(makeRow({ code: 'A' }))).toEqual([a]);
    });

    it('reports on request which identifier found the location', async () => {
      const [a, b] = await put(makeRow({ code: 'A', external_ref: 'ra' }), makeRow({ code: 'B', external_ref: 'rb' }));
      const rows = [
        makeRow({ code: 'A', external_ref: 'rb' }),
        makeRow({ code: 'N' }),
        makeRow({ code: 'N' }),
        'API.x',
      ];
      const { explain, locations } = await tryToPut(rows, { explain: true });
      const others = [{ identifier: 'external_ref', value: 'rb', id: idOf(b) }];
      const newId = idOf(locations[1] as WrittenLocation);
      expect(explain).toEqual([
        [{ record: 'app_location', identifier: 'code', id: idOf(a), others }],
        [{ record: 'app_location', identifier: null, id: null, others: [] }],
        [{ record: 'app_location', identifier: 'code', id: newId, others: [] }],
        [],
      ]);
    });
  });

  describe('a dry run with locations', () => {
    it('returns the result without new ids and writes nothing', async () => {
      const [a] = await put(makeRow({ code: 'A' }));
      fixture.clock.forward({ seconds: 60 });
      const { locations, explain } = await tryToPut(
        [makeRow({ code: 'A', name: 'New' }), makeRow({ code: 'B' }), makeRow({ code: 'B' })],
        {
          dryRun: true,
          explain: true,
        },
      );
      expect(locations).toEqual([
        { ...a, name: 'New', updated_at: fixture.clock.now() },
        { id: null, ...EMPTY, ...makeRow({ code: 'B' }), ...currentDates() },
        { id: null, ...EMPTY, ...makeRow({ code: 'B' }), ...currentDates() },
      ]);
      expect(explain?.map(([match]) => match?.id)).toEqual([idOf(a), null, null]);
      const realRun = await tryToPut([makeRow({ code: 'A' }), makeRow({ code: 'B' })], { explain: true });
      expect(realRun.locations[0]).toMatchObject({ name: 'Store' });
      expect(realRun.explain?.map(([match]) => match?.identifier)).toEqual(['code', null]);
    });
  });

  describe('the image of a location', () => {
    const image = (name: string) => `https://media.example/abcdefgh/${name}.jpg`;
    const findUsages = () => fixture.brokenUsages?.(appId);

    it('counts as a usage of its file while the location has the image', async () => {
      if (fixture.brokenUsages === undefined) return;
      const [a] = await put(makeRow({ code: 'A', image_url: image('a') }), makeRow({ code: 'B', image_url: null }));
      const usage = { entity_type: 'app_location', entity_id: String(idOf(a)), field: 'image_url', label: 'Store' };
      expect(await findUsages()).toEqual([{ ...usage, url: image('a'), total_count: 1 }]);
      await put(
        makeRow({ code: 'A', image_url: image('a') }),
        makeRow({ code: 'B', image_url: 'https://elsewhere.example/b' }),
      );
      expect(await findUsages()).toEqual([{ ...usage, url: image('a'), total_count: 1 }]);
      await put(makeRow({ code: 'A', image_url: image('b'), name: 'New' }));
      expect(await findUsages()).toEqual([{ ...usage, url: image('b'), label: 'New', total_count: 1 }]);
      await put(makeRow({ code: 'A' }));
      expect(await findUsages()).toHaveLength(1);
      await put(makeRow({ code: 'A', image_url: null }));
      expect(await findUsages()).toEqual([]);
    });
  });

  describe('concurrent calls that write locations', () => {
    it('create only one location for each code or reference', async () => {
      const rows = [makeRow({ code: 'A', external_ref: 'r' }), makeRow({ external_ref: 's' })];
      const results = await Promise.all(Array.from({ length: 8 }, () => put(...rows)));
      expect(new Set(results.flat().map(idOf)).size).toBe(2);
    });
  });
}
