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
    readonly mobileInfo: NewDevice['mobileInfo'];
  };
}

export interface DeviceFixture {
  readonly devices: Devices;
  readonly consentQueries: ConsentQueries;
  readonly sessions: { end(appId: number, id: number): Promise<unknown> };
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  addCustomer(appId: number): Promise<{ readonly id: number; readonly data_part: number; readonly time_part: number }>;
  startSession(appId: number, fields: SessionFields): Promise<{ readonly id: number }>;
  close(): Promise<void>;
}

const NO_DETAILS = { type: null, vendor: null, mobileInfo: null };

export function devicesContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<DeviceFixture>,
): void {
  let fixture: DeviceFixture;
  let appId: number;
  let ana: CustomerIdentifier & { readonly id: number };
  let phoneSessionId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
    ana = await addCustomer();
    phoneSessionId = await signIn(ana);
  });

  const addCustomer = async () => {
    const { id, data_part: dataPart, time_part: timePart } = await fixture.addCustomer(appId);
    return { id, dataPart, timePart };
  };
  const signIn = async (customer: CustomerIdentifier | null, device: Partial<SessionFields['device']> = {}) =>
    (await fixture.startSession(appId, { customer, device: { uuid: 'phone', ...NO_DETAILS, ...device } })).id;
  const tryToRegister = (sessionId: number, device: Partial<NewDevice> = {}, targetAppId = appId) =>
    fixture.devices.register(targetAppId, sessionId, { messagingToken: 'token', ...NO_DETAILS, ...device });
  const register = async (sessionId = phoneSessionId, device: Partial<NewDevice> = {}): Promise<Device> => {
    const storedDevice = await tryToRegister(sessionId, device);
    expect(storedDevice).toBeDefined();
    return storedDevice as Device;
  };
  const hasDevice = async ({ id }: { readonly id: number }): Promise<boolean> =>
    (await fixture.consentQueries.find(appId, id))?.preferred.channelId === 3;

  describe('a device', () => {
    it('is stored with the session', async () => {
      const now = fixture.clock.now();
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

    it('is updated by a repeated call, even with another messaging token or from another session', async () => {
      const firstDevice = await register();
      fixture.clock.forward({ seconds: 5 });
      const updatedDevice = { ...firstDevice, updated_at: fixture.clock.now() };
      expect(await register()).toEqual(updatedDevice);
      const session = await signIn(ana);
      expect(await register(session, { messagingToken: 'new' })).toEqual({ ...updatedDevice, messaging_token: 'new' });
    });

    it('is added when the uuid or the customer is new', async () => {
      const ids = [
        await register(),
        await register(await signIn(ana, { uuid: 'tablet' }), { messagingToken: 'b' }),
        await register(await signIn(await addCustomer()), { messagingToken: 'c' }),
      ].map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
    });

    it('has the sent details, otherwise those of the session, otherwise the stored ones', async () => {
      const session = await signIn(ana, { type: 'mobile', vendor: 'Acme' });
      const firstDevice = await register(session, { vendor: 'Other', mobileInfo: 'v1' });
      expect(firstDevice).toMatchObject({ device_type: 'mobile', device_vendor: 'Other', mobile_info: 'v1' });
      const secondDevice = await register(session);
      expect(secondDevice).toMatchObject({ device_type: 'mobile', device_vendor: 'Acme', mobile_info: 'v1' });
      expect(await register()).toMatchObject({ device_type: 'mobile', device_vendor: 'Acme', mobile_info: 'v1' });
    });
  });

  describe('the mobile info', () => {
    const info = { model: 'X', screen: { width: 1_080 }, note: 'a \u0000 \\ "b"' };

    it('may be an object', async () => {
      expect((await register(phoneSessionId, { mobileInfo: info })).mobile_info).toEqual(info);
      expect((await register()).mobile_info).toEqual(info);
      const text = JSON.stringify({ a: 1 });
      expect((await register(phoneSessionId, { mobileInfo: text })).mobile_info).toBe(text);
    });

    it('comes as an object from the session', async () => {
      const session = await signIn(ana, { mobileInfo: info });
      expect((await register(session)).mobile_info).toEqual(info);
      expect((await register(session, { mobileInfo: 'text' })).mobile_info).toBe('text');
    });
  });

  describe('a messaging token', () => {
    it('may have 4,096 characters', async () => {
      const messagingToken = Array.from(
        { length: 1_024 },
        (_, index) => `\\${(index * 7_919).toString(36).slice(-3).padStart(3, 'ž')}`,
      );
      const device = await register(phoneSessionId, { messagingToken: messagingToken.join('') });
      expect(device.messaging_token).toBe(messagingToken.join(''));
      const otherSession = await signIn(await addCustomer());
      await register(otherSession, { messagingToken: messagingToken.join('') });
      expect(await hasDevice(ana)).toBe(false);
    });

    it('is removed from other devices of the app', async () => {
      const bojan = await addCustomer();
      await register();
      await register(await signIn(bojan));
      expect([await hasDevice(ana), await hasDevice(bojan)]).toEqual([false, true]);
    });

    it('stays with devices of other apps', async () => {
      await register();
      const otherAppId = await fixture.makeApp();
      const { id, data_part: dataPart, time_part: timePart } = await fixture.addCustomer(otherAppId);
      const device = { uuid: 'phone', ...NO_DETAILS };
      const session = await fixture.startSession(otherAppId, { customer: { id, dataPart, timePart }, device });
      expect(await tryToRegister(session.id, {}, otherAppId)).toBeDefined();
      expect(await hasDevice(ana)).toBe(true);
    });

    it('belongs to only one device after concurrent calls', async () => {
      const customers = await Promise.all(Array.from({ length: 6 }, addCustomer));
      const sessions = await Promise.all(customers.map((customer) => signIn(customer)));
      await Promise.all(sessions.map((session) => register(session)));
      const hasToken = await Promise.all(customers.map(hasDevice));
      expect(hasToken.filter(Boolean)).toHaveLength(1);
    });

    it('can be swapped by two devices concurrently', async () => {
      const otherSessionId = await signIn(await addCustomer());
      await Promise.all([
        register(phoneSessionId, { messagingToken: 'a' }),
        register(otherSessionId, { messagingToken: 'b' }),
      ]);
      await Promise.all([
        register(phoneSessionId, { messagingToken: 'b' }),
        register(otherSessionId, { messagingToken: 'a' }),
      ]);
      expect(await hasDevice(ana)).toBe(true);
    });
  });

  describe('a registration of a device', () => {
    const expectUndefined = async (sessionId: number, targetAppId = appId) => {
      await register();
      expect(await tryToRegister(sessionId, {}, targetAppId)).toBeUndefined();
      expect(await hasDevice(ana)).toBe(true);
    };

    it('returns undefined for an anonymous session', async () =>
      expectUndefined(await signIn(null, { uuid: 'other' })));

    it('returns undefined for a session that has ended', async () => {
      const session = await signIn(await addCustomer());
      await fixture.sessions.end(appId, session);
      await expectUndefined(session);
    });

    it('returns undefined for a missing session or a session of another app', async () => {
      await expectUndefined(987_654_321);
      await expectUndefined(phoneSessionId, await fixture.makeApp());
    });
  });
}
