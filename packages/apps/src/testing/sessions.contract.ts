import type { CustomerIdentifier } from '@back-office/kernel';
import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { AccessTokenQueries, AccessTokens, NewSession, Session, Sessions } from '../index.js';
import { randomHash } from './hashes.js';

export interface SessionFixture {
  readonly sessions: Sessions;
  readonly accessTokens: AccessTokens;
  readonly accessTokenQueries: AccessTokenQueries;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  addCustomer(
    appId: number,
    fields: { external_ref: string },
  ): Promise<{ readonly id: number; readonly data_part: number; readonly time_part: number }>;
  close(): Promise<void>;
}

const DEVICE = { uuid: 'phone', type: 'mobile', vendor: null, mobileInfo: null };
const NOT_FOUND = { refused: 'API.Customers.NotFound' };
const HOURS_PER_DAY = 24;

export function sessionsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<SessionFixture>,
): void {
  let fixture: SessionFixture;
  let sessions: Sessions;
  let appId: number;
  let tokenHash: Uint8Array;
  before(async () => {
    fixture = await open();
    sessions = fixture.sessions;
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
    tokenHash = randomHash();
  });

  const start = (fields: Partial<NewSession> = {}, app = appId) => {
    const expiresAt = new Date(fixture.clock.now().getTime() + 3_600_000);
    return sessions.start(app, { customer: null, device: DEVICE, language: null, expiresAt, tokenHash, ...fields });
  };
  const startSession = async (fields: Partial<NewSession> = {}) => (await start(fields)) as Session;
  const holder = () => fixture.accessTokenQueries.holderOf({ hash: tokenHash, appId });
  const addCustomer = async (app = appId, externalRef = 'crm-1') => {
    const {
      id,
      data_part: dataPart,
      time_part: timePart,
    } = await fixture.addCustomer(app, {
      external_ref: externalRef,
    });
    return { id, dataPart, timePart };
  };

  describe('a session', () => {
    it('may be anonymous', async () => {
      const session = await startSession();
      const expiresAt = new Date(fixture.clock.now().getTime() + 3_600_000);
      expect(session).toEqual({ id: expect.any(Number), customerId: null, expiresAt });
      expect(await holder()).toMatchObject({
        tokenId: session.id,
        kind: 'session',
        customerId: null,
        expiresAt,
        revokedAt: null,
        app: { id: appId },
      });
    });

    it('belongs to the customer with the given id, data_part and time_part, or with the given reference', async () => {
      const customerParts = await addCustomer();
      expect(await start({ customer: customerParts })).toMatchObject({ customerId: customerParts.id });
      tokenHash = randomHash();
      expect(await start({ customer: { externalRef: 'crm-1' } })).toMatchObject({ customerId: customerParts.id });
      expect(await holder()).toMatchObject({ customerId: customerParts.id });
    });

    it('is refused for a missing customer', async () => {
      const customerParts = await addCustomer();
      const missingCustomers: CustomerIdentifier[] = [
        { ...customerParts, dataPart: (customerParts.dataPart % 64) + 1 },
        { ...customerParts, timePart: customerParts.timePart + 1 },
        { ...customerParts, id: 987_654_321 },
        { externalRef: 'CRM-1' },
      ];
      for (const customer of missingCustomers) expect(await start({ customer })).toEqual(NOT_FOUND);
      expect(await start({ customer: customerParts }, await fixture.makeApp())).toEqual(NOT_FOUND);
      expect(await holder()).toBeUndefined();
    });
  });

  describe('the end of a session', () => {
    it('returns the hash of the token, and keeps the time of the first end when repeated', async () => {
      const { id } = await startSession();
      const revokedAt = fixture.clock.now();
      expect(new Uint8Array((await sessions.end(appId, id)) ?? [])).toEqual(tokenHash);
      fixture.clock.forward({ hours: 1 });
      expect(new Uint8Array((await sessions.end(appId, id)) ?? [])).toEqual(tokenHash);
      expect(await holder()).toMatchObject({ revokedAt });
    });

    it('does not affect sessions of other apps or tokens of apps', async () => {
      const { id } = await startSession();
      expect(await sessions.end(await fixture.makeApp(), id)).toBeUndefined();
      expect(await sessions.end(appId, 987_654_321)).toBeUndefined();
      expect(await holder()).toMatchObject({ revokedAt: null });
      tokenHash = randomHash();
      await fixture.accessTokens.add({ appId, hash: tokenHash });
      expect(await sessions.end(appId, (await holder())?.tokenId ?? 0)).toBeUndefined();
      expect(await holder()).toMatchObject({ revokedAt: null });
    });
  });

  describe('the Firebase token of a session', () => {
    it('is stored while the session is active, and can be replaced', async () => {
      const { id } = await startSession();
      expect(await sessions.replacePushToken(appId, id, 'one')).toBe(true);
      expect(await sessions.replacePushToken(appId, id, 'two')).toBe(true);
    });

    it('is not stored when the session has ended, is missing or belongs to another app', async () => {
      const { id } = await startSession();
      expect(await sessions.replacePushToken(await fixture.makeApp(), id, 'x')).toBe(false);
      expect(await sessions.replacePushToken(appId, 987_654_321, 'x')).toBe(false);
      await sessions.end(appId, id);
      expect(await sessions.replacePushToken(appId, id, 'x')).toBe(false);
    });
  });

  describe('the purge of ended sessions', () => {
    const isStoredAfter = async (days: number): Promise<boolean> => {
      fixture.clock.forward({ hours: days * HOURS_PER_DAY });
      while (await sessions.purgeEnded());
      fixture.clock.forward({ hours: -days * HOURS_PER_DAY });
      return (await holder()) !== undefined;
    };

    it('removes sessions that expired over 30 days ago', async () => {
      await startSession({ expiresAt: new Date(fixture.clock.now().getTime() + HOURS_PER_DAY * 3_600_000) });
      expect(await isStoredAfter(31)).toBe(true);
      expect(await isStoredAfter(31.1)).toBe(false);
    });

    it('removes unexpired sessions that ended over 30 days ago', async () => {
      const { id } = await startSession({
        expiresAt: new Date(fixture.clock.now().getTime() + 365 * HOURS_PER_DAY * 3_600_000),
      });
      expect(await isStoredAfter(60)).toBe(true);
      await sessions.end(appId, id);
      expect(await isStoredAfter(30)).toBe(true);
      expect(await isStoredAfter(30.1)).toBe(false);
    });

    it('keeps the tokens of apps', async () => {
      await fixture.accessTokens.add({ appId, hash: tokenHash, expiresAt: fixture.clock.now() });
      await fixture.accessTokens.revoke({ hash: tokenHash, appId });
      expect(await isStoredAfter(365)).toBe(true);
    });
  });
}
