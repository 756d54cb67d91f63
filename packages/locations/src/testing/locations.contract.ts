import type { BulkOptions } from '@back-office/kernel';
import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { DesiredLocation, Locations, WrittenLocation } from '../index.js';

export interface GivenLocations {
  readonly locations: Locations;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  /** Usages of files that the media library does not have; without it, usages are not tested. */
  brokenUsages?(appId: number): Promise<readonly object[]>;
  close(): Promise<void>;
}

const EMPTY = { code: null, external_ref: null, address_line_1: null, city: null, postcode: null, image_url: null };
const TAKEN = 'API.AppLocations.ExternalRefAlreadyExists';

/** The adapter may hold locations of other apps. */
export function locationsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenLocations>,
): void {
  let given: GivenLocations;
  let appId: number;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    appId = await given.makeApp();
  });

  const at = (more: Partial<DesiredLocation> = {}): DesiredLocation => ({
    name: 'Store',
    latitude: 44.8125,
    longitude: -20.461_234_567,
    ...more,
  });
  const tryToPut = (rows: readonly (DesiredLocation | string)[], options?: BulkOptions, app = appId) =>
    given.locations.put({ id: app, settings: { media: { prefix: 'abcdefgh' } } }, rows, options);
  const put = async (...rows: DesiredLocation[]): Promise<WrittenLocation[]> => {
    const { locations } = await tryToPut(rows);
    for (const location of locations) expect(location).toHaveProperty('name');
    return locations as WrittenLocation[];
  };
  const dates = () => ({ inserted_at: given.clock.now(), updated_at: given.clock.now() });
  const idOf = (location: WrittenLocation | undefined) => location?.id;

  describe('locations', () => {
    it('are added and returned in input order', async () => {
      const full = {
        code: 'Z',
        external_ref: 'r',
        address_line_1: 'Put 1',
        city: 'Niš',
        postcode: '18000',
        image_url: 'https://media.example/abcdefgh/store.jpg',
      };
      const [first, second] = await put(at(full), at());
      expect(first).toEqual({ id: expect.any(Number), ...at(full), ...dates() });
      expect(second).toEqual({ id: expect.any(Number), ...EMPTY, ...at(), ...dates() });
      expect(Number(idOf(second))).toBeGreaterThan(Number(idOf(first)));
    });

    it('keep absent fields and clear null ones', async () => {
      const [first] = await put(at({ code: 'A', city: 'Niš', postcode: '18000' }));
      given.clock.forward({ seconds: 60 });
      const [second] = await put(at({ code: 'A', name: 'New', city: null, latitude: -1.5 }));
      expect(second).toEqual({
        ...first,
        name: 'New',
        city: null,
        latitude: -1.5,
        updated_at: given.clock.now(),
      });
    });

    it('match exactly, by code, then reference', async () => {
      const [a, b] = await put(at({ code: 'A', external_ref: 'ra' }), at({ code: 'B', external_ref: 'rb' }));
      const found = await put(at({ code: 'A' }), at({ external_ref: 'rb' }), at({ code: 'C', external_ref: 'rb' }));
      expect(found.map(idOf)).toEqual([a, b, b].map(idOf));
      expect(found[2]).toMatchObject({ code: 'C', external_ref: 'rb' });
      const others = await put(at({ code: 'a' }), at({ code: ' A' }), at({ external_ref: 'RA' }), at({ code: 'ra' }));
      for (const other of others) expect([a, b].map(idOf)).not.toContain(idOf(other));
    });

    it('are written as the last row says', async () => {
      const written = await put(
        at({ code: 'A', name: 'first', external_ref: 'r' }),
        at({ external_ref: 'r', name: 'last' }),
      );
      expect(written[0]).toEqual(written[1]);
      expect(written[1]).toMatchObject({ code: 'A', external_ref: 'r', name: 'last' });
    });

    it('without code and reference are new each time', async () => {
      const ids = (await put(at(), at())).map(idOf);
      expect(new Set([...ids, ...(await put(at())).map(idOf)]).size).toBe(3);
    });

    it('can pass reference and code on within a call', async () => {
      const [a, b] = await put(at({ code: 'A', external_ref: 'r' }), at({ code: 'B' }));
      const passed = await put(at({ code: 'A', external_ref: null }), at({ code: 'B', external_ref: 'r' }));
      expect(passed).toMatchObject([
        { id: idOf(a), external_ref: null },
        { id: idOf(b), external_ref: 'r' },
      ]);
      const renamed = await put(at({ code: 'X', external_ref: 'r' }), at({ code: 'B' }));
      expect(renamed).toMatchObject([{ id: idOf(b), code: 'X' }, { code: 'B' }]);
      expect(idOf(renamed[1])).not.toBe(idOf(b));
    });

    it('are separate from those of other apps', async () => {
      const [own] = await put(at({ code: 'A', external_ref: 'r' }));
      const { locations } = await tryToPut([at({ code: 'A', external_ref: 'r' })], {}, await given.makeApp());
      expect(idOf(locations[0] as WrittenLocation)).not.toBe(idOf(own));
    });
  });

  describe('a row', () => {
    it('that is a message key passes through; the others are written', async () => {
      const { locations, explain } = await tryToPut(['API.x', at({ code: 'A' })]);
      expect(locations).toMatchObject(['API.x', { code: 'A' }]);
      expect(explain).toBeUndefined();
      expect((await tryToPut([])).locations).toEqual([]);
    });

    it('cannot take the reference of another location', async () => {
      const [a] = await put(at({ code: 'A', external_ref: 'ra' }), at({ code: 'B', external_ref: 'rb' }));
      const { locations } = await tryToPut([at({ code: 'A', external_ref: 'rb', name: 'New' }), at({ code: 'C' })]);
      expect(locations).toMatchObject([TAKEN, { code: 'C' }]);
      expect(await put(at({ code: 'A' }))).toEqual([a]);
    });

    it('is explained', async () => {
      const [a, b] = await put(at({ code: 'A', external_ref: 'ra' }), at({ code: 'B', external_ref: 'rb' }));
      const rows = [at({ code: 'A', external_ref: 'rb' }), at({ code: 'N' }), at({ code: 'N' }), 'API.x'];
      const { explain, locations } = await tryToPut(rows, { explain: true });
      const others = [{ identifier: 'external_ref', value: 'rb', id: idOf(b) }];
      const made = idOf(locations[1] as WrittenLocation);
      expect(explain).toEqual([
        [{ record: 'app_location', identifier: 'code', id: idOf(a), others }],
        [{ record: 'app_location', identifier: null, id: null, others: [] }],
        [{ record: 'app_location', identifier: 'code', id: made, others: [] }],
        [],
      ]);
    });
  });

  describe('a dry run', () => {
    it('returns the result without new ids and writes nothing', async () => {
      const [a] = await put(at({ code: 'A' }));
      given.clock.forward({ seconds: 60 });
      const { locations, explain } = await tryToPut(
        [at({ code: 'A', name: 'New' }), at({ code: 'B' }), at({ code: 'B' })],
        {
          dryRun: true,
          explain: true,
        },
      );
      expect(locations).toEqual([
        { ...a, name: 'New', updated_at: given.clock.now() },
        { id: null, ...EMPTY, ...at({ code: 'B' }), ...dates() },
        { id: null, ...EMPTY, ...at({ code: 'B' }), ...dates() },
      ]);
      expect(explain?.map(([match]) => match?.id)).toEqual([idOf(a), null, null]);
      const real = await tryToPut([at({ code: 'A' }), at({ code: 'B' })], { explain: true });
      expect(real.locations[0]).toMatchObject({ name: 'Store' });
      expect(real.explain?.map(([match]) => match?.identifier)).toEqual(['code', null]);
    });
  });

  describe('the image of a location', () => {
    const image = (name: string) => `https://media.example/abcdefgh/${name}.jpg`;
    const usages = () => given.brokenUsages?.(appId);

    it('is a usage of its file while the location has it', async () => {
      if (given.brokenUsages === undefined) return;
      const [a] = await put(at({ code: 'A', image_url: image('a') }), at({ code: 'B', image_url: null }));
      const usage = { entity_type: 'app_location', entity_id: String(idOf(a)), field: 'image_url', label: 'Store' };
      expect(await usages()).toEqual([{ ...usage, url: image('a'), total_count: 1 }]);
      await put(at({ code: 'A', image_url: image('a') }), at({ code: 'B', image_url: 'https://elsewhere.example/b' }));
      expect(await usages()).toEqual([{ ...usage, url: image('a'), total_count: 1 }]);
      await put(at({ code: 'A', image_url: image('b'), name: 'New' }));
      expect(await usages()).toEqual([{ ...usage, url: image('b'), label: 'New', total_count: 1 }]);
      await put(at({ code: 'A' }));
      expect(await usages()).toHaveLength(1);
      await put(at({ code: 'A', image_url: null }));
      expect(await usages()).toEqual([]);
    });
  });

  describe('concurrent calls', () => {
    it('make one location per code or reference', async () => {
      const rows = [at({ code: 'A', external_ref: 'r' }), at({ external_ref: 's' })];
      const written = await Promise.all(Array.from({ length: 8 }, () => put(...rows)));
      expect(new Set(written.flat().map(idOf)).size).toBe(2);
    });
  });
}
