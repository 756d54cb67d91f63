import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { AccessTokenQueries, AccessTokens, Apps, Session } from '../index.js';
import { randomHash } from './hashes.js';

export interface GivenAccessTokens {
  readonly accessTokens: AccessTokens;
  readonly accessTokenQueries: AccessTokenQueries;
  readonly apps: Apps;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  startSession(appId: number, fields: { readonly tokenHash: Uint8Array; language?: string }): Promise<Session>;
  close(): Promise<void>;
}

/** The adapter may hold other tokens. */
export function accessTokensContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenAccessTokens>,
): void {
  let given: GivenAccessTokens;
  let appId: number;
  let hash: Uint8Array;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    appId = await given.makeApp();
    hash = randomHash();
  });

  const add = (fields: object = {}) => given.accessTokens.add({ appId, hash, ...fields });
  const holder = (token = hash) => given.accessTokenQueries.holderOf(token);

  describe('the token of an app', () => {
    it('belongs to the app and does not expire', async () => {
      expect(await add()).toBe(true);
      expect(await holder()).toMatchObject({
        tokenId: expect.any(Number),
        kind: 'app',
        customerId: null,
        expiresAt: null,
        revokedAt: null,
        app: { id: appId, currency: 'RSD', decimals: 2 },
      });
    });

    it('is not added for a missing app', async () => {
      expect(await add({ appId: 987_654_321 })).toBe(false);
      expect(await holder()).toBeUndefined();
    });

    it('has the current settings of the app', async () => {
      await add();
      await given.apps.patch(appId, { proforma: { lifetime_hours: 5 } });
      expect((await holder())?.app.settings.proforma).toEqual({
        lifetimeHours: 5,
        expirePaid: false,
        minimumBasketAmount: 0,
      });
    });

    it('uses its own language, else the default one', async () => {
      await given.apps.patch(appId, { translations: { sr: { hello: 'zdravo' }, en: { hello: 'hi' } } });
      await add({ language: 'sr' });
      const other = randomHash();
      await add({ hash: other });
      expect((await holder())?.app.say('hello')).toBe('zdravo');
      expect((await holder(other))?.app.say('hello')).toBe('hi');
      await given.apps.patch(appId, { default_language: 'sr' });
      expect((await holder(other))?.app.say('hello')).toBe('zdravo');
    });

    it('is found when expired, with the time', async () => {
      const expiresAt = new Date(given.clock.now().getTime() + 1_000);
      await add({ expiresAt });
      given.clock.forward({ seconds: 5 });
      expect(await holder()).toMatchObject({ expiresAt, revokedAt: null });
    });

    it('is separate from other tokens', async () => {
      const [second, foreign] = [randomHash(), randomHash()];
      const otherApp = await given.makeApp();
      await Promise.all([add(), add({ hash: second }), add({ appId: otherApp, hash: foreign })]);
      const holders = await Promise.all([holder(), holder(second), holder(foreign)]);
      expect(new Set(holders.map((each) => each?.tokenId)).size).toBe(3);
      expect(holders.map((each) => each?.app.id)).toEqual([appId, appId, otherApp]);
    });
  });

  describe('revoking', () => {
    it('keeps the holder and the first time', async () => {
      await add();
      const revokedAt = given.clock.now();
      expect(await given.accessTokens.revoke(hash)).toBe(true);
      given.clock.forward({ hours: 1 });
      expect(await given.accessTokens.revoke(hash)).toBe(true);
      expect(await holder()).toMatchObject({ kind: 'app', revokedAt });
    });

    it('ignores an unknown token', async () => {
      expect(await given.accessTokens.revoke(hash)).toBe(false);
    });

    it('keeps all other tokens', async () => {
      const other = randomHash();
      await add();
      await add({ hash: other });
      await given.accessTokens.revoke(hash);
      expect(await holder(other)).toMatchObject({ revokedAt: null });
    });

    it('also ends a session', async () => {
      await given.startSession(appId, { tokenHash: hash });
      expect(await given.accessTokens.revoke(hash)).toBe(true);
      expect(await holder()).toMatchObject({ kind: 'session', revokedAt: given.clock.now() });
    });
  });
}
