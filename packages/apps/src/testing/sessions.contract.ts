import type { CustomerIdentifier } from '@back-office/kernel';
import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { AccessTokenQueries, AccessTokens, NewSession, Session, Sessions } from '../index.js';
import { randomHash } from './hashes.js';

export interface GivenSessions {
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
const DAY = 24;

/** The adapter may hold other sessions. */
export function sessionsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenSessions>,
): void {
  let given: GivenSessions;
  let sessions: Sessions;
  let appId: number;
  let tokenHash: Uint8Array;
  before(async () => {
    given = await open();
    sessions = given.sessions;
  });
  after(() => given.close());
  beforeEach(async () => {
    appId = await given.makeApp();
    tokenHash = randomHash();
  });

  const start = (fields: Partial<NewSession> = {}, app = appId) => {
    const expiresAt = new Date(given.clock.now().getTime() + 3_600_000);
    return sessions.start(app, { customer: null, device: DEVICE, language: null, expiresAt, tokenHash, ...fields });
  };
  const started = async (fields: Partial<NewSession> = {}) => (await start(fields)) as Session;
  const holder = () => given.accessTokenQueries.holderOf(tokenHash);
  const named = async (app = appId, externalRef = 'crm-1') => {
    const {
      id,
      data_part: dataPart,
      time_part: timePart,
    } = await given.addCustomer(app, {
      external_ref: externalRef,
    });
    return { id, dataPart, timePart };
  };

  describe('a session', () => {
    it('may be anonymous', async () => {
      const session = await started();
      const expiresAt = new Date(given.clock.now().getTime() + 3_600_000);
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

    it('belongs to a customer, named by parts or reference', async () => {
      const name = await named();
      expect(await start({ customer: name })).toMatchObject({ customerId: name.id });
      tokenHash = randomHash();
      expect(await start({ customer: { externalRef: 'crm-1' } })).toMatchObject({ customerId: name.id });
      expect(await holder()).toMatchObject({ customerId: name.id });
    });

    it('is refused for a missing customer', async () => {
      const name = await named();
      const wrong: CustomerIdentifier[] = [
        { ...name, dataPart: (name.dataPart % 64) + 1 },
        { ...name, timePart: name.timePart + 1 },
        { ...name, id: 987_654_321 },
        { externalRef: 'CRM-1' },
      ];
      for (const customer of wrong) expect(await start({ customer })).toEqual(NOT_FOUND);
      expect(await start({ customer: name }, await given.makeApp())).toEqual(NOT_FOUND);
      expect(await holder()).toBeUndefined();
    });
  });

  describe('the end of a session', () => {
    it('returns the hash of its token and keeps the first time', async () => {
      const { id } = await started();
      const revokedAt = given.clock.now();
      expect(new Uint8Array((await sessions.end(appId, id)) ?? [])).toEqual(tokenHash);
      given.clock.forward({ hours: 1 });
      expect(new Uint8Array((await sessions.end(appId, id)) ?? [])).toEqual(tokenHash);
      expect(await holder()).toMatchObject({ revokedAt });
    });

    it('does not affect other apps, missing sessions or tokens of apps', async () => {
      const { id } = await started();
      expect(await sessions.end(await given.makeApp(), id)).toBeUndefined();
      expect(await sessions.end(appId, 987_654_321)).toBeUndefined();
      expect(await holder()).toMatchObject({ revokedAt: null });
      tokenHash = randomHash();
      await given.accessTokens.add({ appId, hash: tokenHash });
      expect(await sessions.end(appId, (await holder())?.tokenId ?? 0)).toBeUndefined();
      expect(await holder()).toMatchObject({ revokedAt: null });
    });
  });

  describe('the Firebase token', () => {
    it('is stored with an active session and can be replaced', async () => {
      const { id } = await started();
      expect(await sessions.keepFirebaseToken(appId, id, 'one')).toBe(true);
      expect(await sessions.keepFirebaseToken(appId, id, 'two')).toBe(true);
    });

    it('is not stored with an ended, missing or foreign session', async () => {
      const { id } = await started();
      expect(await sessions.keepFirebaseToken(await given.makeApp(), id, 'x')).toBe(false);
      expect(await sessions.keepFirebaseToken(appId, 987_654_321, 'x')).toBe(false);
      await sessions.end(appId, id);
      expect(await sessions.keepFirebaseToken(appId, id, 'x')).toBe(false);
    });
  });

  describe('purgeEnded', () => {
    const isThereAfter = async (days: number): Promise<boolean> => {
      given.clock.forward({ hours: days * DAY });
      while (await sessions.purgeEnded());
      given.clock.forward({ hours: -days * DAY });
      return (await holder()) !== undefined;
    };

    it('removes sessions that expired over 30 days ago', async () => {
      await started({ expiresAt: new Date(given.clock.now().getTime() + DAY * 3_600_000) });
      expect(await isThereAfter(31)).toBe(true);
      expect(await isThereAfter(31.1)).toBe(false);
    });

    it('removes unexpired sessions that ended over 30 days ago', async () => {
      const { id } = await started({ expiresAt: new Date(given.clock.now().getTime() + 365 * DAY * 3_600_000) });
      expect(await isThereAfter(60)).toBe(true);
      await sessions.end(appId, id);
      expect(await isThereAfter(30)).toBe(true);
      expect(await isThereAfter(30.1)).toBe(false);
    });

    it('keeps tokens of apps', async () => {
      await given.accessTokens.add({ appId, hash: tokenHash, expiresAt: given.clock.now() });
      await given.accessTokens.revoke(tokenHash);
      expect(await isThereAfter(365)).toBe(true);
    });
  });
}
