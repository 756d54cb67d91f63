import type { CustomerIdentifier } from '@back-office/kernel';
import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { ConsentQueries, Device, Devices, NewDevice } from '../index.js';

interface SessionFields {
  readonly customer: CustomerIdentifier | null;
  readonly device: {
    readonly uuid: string;
    readonly type: string | null;
    readonly vendor: string | null;
    readonly mobileInfo: string | null;
  };
}

export interface GivenDevices {
  readonly devices: Devices;
  readonly consentQueries: ConsentQueries;
  readonly sessions: { end(appId: number, id: number): Promise<unknown> };
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  addCustomer(appId: number): Promise<{ readonly id: number; readonly data_part: number; readonly time_part: number }>;
  startSession(appId: number, fields: SessionFields): Promise<{ readonly id: number }>;
  close(): Promise<void>;
}

const UNKNOWN = { type: null, vendor: null, mobileInfo: null };

/** The adapter may hold devices of other apps. */
export function devicesContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenDevices>,
): void {
  let given: GivenDevices;
  let appId: number;
  let ana: CustomerIdentifier & { readonly id: number };
  let phone: number;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    appId = await given.makeApp();
    ana = await addCustomer();
    phone = await signIn(ana);
  });

  const addCustomer = async () => {
    const { id, data_part: dataPart, time_part: timePart } = await given.addCustomer(appId);
    return { id, dataPart, timePart };
  };
  const signIn = async (customer: CustomerIdentifier | null, device: Partial<SessionFields['device']> = {}) =>
    (await given.startSession(appId, { customer, device: { uuid: 'phone', ...UNKNOWN, ...device } })).id;
  const tryToRegister = (session: number, device: Partial<NewDevice> = {}, app = appId) =>
    given.devices.register(app, session, { messagingToken: 'token', ...UNKNOWN, ...device });
  const register = async (session = phone, device: Partial<NewDevice> = {}): Promise<Device> => {
    const stored = await tryToRegister(session, device);
    expect(stored).toBeDefined();
    return stored as Device;
  };
  const hasDevice = async ({ id }: { readonly id: number }): Promise<boolean> =>
    (await given.consentQueries.find(appId, id))?.preferred.channelId === 3;

  describe('a device', () => {
    it('is stored with the session', async () => {
      const now = given.clock.now();
      expect(await register()).toEqual({
        id: expect.any(Number),
        uuid: 'phone',
        messaging_token: 'token',
        notification_channel_id: 3,
        device_type: null,
        device_vendor: null,
        mobile_info: null,
        inserted_at: now,
        updated_at: now,
      });
      expect(await hasDevice(ana)).toBe(true);
    });

    it('is updated by a repeat, another token or another session', async () => {
      const first = await register();
      given.clock.forward({ seconds: 5 });
      const updated = { ...first, updated_at: given.clock.now() };
      expect(await register()).toEqual(updated);
      const session = await signIn(ana);
      expect(await register(session, { messagingToken: 'new' })).toEqual({ ...updated, messaging_token: 'new' });
    });

    it('is new for another uuid or customer', async () => {
      const ids = [
        await register(),
        await register(await signIn(ana, { uuid: 'tablet' }), { messagingToken: 'b' }),
        await register(await signIn(await addCustomer()), { messagingToken: 'c' }),
      ].map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
    });

    it('has sent details, else those of the session, else stored ones', async () => {
      const session = await signIn(ana, { type: 'mobile', vendor: 'Acme' });
      const first = await register(session, { vendor: 'Other', mobileInfo: 'v1' });
      expect(first).toMatchObject({ device_type: 'mobile', device_vendor: 'Other', mobile_info: 'v1' });
      const second = await register(session);
      expect(second).toMatchObject({ device_type: 'mobile', device_vendor: 'Acme', mobile_info: 'v1' });
      expect(await register()).toMatchObject({ device_type: 'mobile', device_vendor: 'Acme', mobile_info: 'v1' });
    });
  });

  describe('a token', () => {
    it('is removed from other devices of the app', async () => {
      const bojan = await addCustomer();
      await register();
      await register(await signIn(bojan));
      expect([await hasDevice(ana), await hasDevice(bojan)]).toEqual([false, true]);
    });

    it('stays with devices of other apps', async () => {
      await register();
      const other = await given.makeApp();
      const { id, data_part: dataPart, time_part: timePart } = await given.addCustomer(other);
      const device = { uuid: 'phone', ...UNKNOWN };
      const session = await given.startSession(other, { customer: { id, dataPart, timePart }, device });
      expect(await tryToRegister(session.id, {}, other)).toBeDefined();
      expect(await hasDevice(ana)).toBe(true);
    });

    it('is held by one device after concurrent calls', async () => {
      const customers = await Promise.all(Array.from({ length: 6 }, addCustomer));
      const sessions = await Promise.all(customers.map((customer) => signIn(customer)));
      await Promise.all(sessions.map((session) => register(session)));
      const held = await Promise.all(customers.map(hasDevice));
      expect(held.filter(Boolean)).toHaveLength(1);
    });

    it('can be swapped by two devices concurrently', async () => {
      const bojan = await signIn(await addCustomer());
      await Promise.all([register(phone, { messagingToken: 'a' }), register(bojan, { messagingToken: 'b' })]);
      await Promise.all([register(phone, { messagingToken: 'b' }), register(bojan, { messagingToken: 'a' })]);
      expect(await hasDevice(ana)).toBe(true);
    });
  });

  describe('no device is stored, and no token moves', () => {
    const refused = async (session: number, app = appId) => {
      await register();
      expect(await tryToRegister(session, {}, app)).toBeUndefined();
      expect(await hasDevice(ana)).toBe(true);
    };

    it('in an anonymous session', async () => refused(await signIn(null, { uuid: 'other' })));

    it('in a session that has ended', async () => {
      const session = await signIn(await addCustomer());
      await given.sessions.end(appId, session);
      await refused(session);
    });

    it('in a missing session or one of another app', async () => {
      await refused(987_654_321);
      await refused(phone, await given.makeApp());
    });
  });
}
