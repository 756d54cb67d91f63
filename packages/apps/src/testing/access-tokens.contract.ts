import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { AccessTokenQueries, AccessTokens, Apps, Session } from '../index.js';
import { randomHash } from './hashes.js';

export interface AccessTokenFixture {
  readonly accessTokens: AccessTokens;
  readonly accessTokenQueries: AccessTokenQueries;
  readonly apps: Apps;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  startSession(appId: number, fields: { readonly tokenHash: Uint8Array; language?: string }): Promise<Session>;
  close(): Promise<void>;
}

export function accessTokensContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<AccessTokenFixture>,
): void {
  let fixture: AccessTokenFixture;
  let appId: number;
  let hash: Uint8Array;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
    hash = randomHash();
  });

  const add = (fields: object = {}) => fixture.accessTokens.add({ appId, hash, ...fields });
  const holder = (token = hash, app: number | undefined = appId) =>
    fixture.accessTokenQueries.holderOf({ hash: token, appId: app });
  const revoke = () => fixture.accessTokens.revoke({ hash, appId });

  describe('the token of an app', () => {
    it('belongs to the app and does not expire', async () => {
      expect(await add()).toMatchObject({ id: expect.any(Number), name: null, scopes: null, revokedAt: null });
      expect(await holder()).toMatchObject({
        tokenId: expect.any(Number),
        kind: 'app',
        customerId: null,
        expiresAt: null,
        revokedAt: null,
        app: { id: appId, currency: 'RSD', decimals: 2 },
      });
    });

    it('has every scope by default, otherwise the given scopes', async () => {
      await add();
      expect(await holder()).toMatchObject({ scopes: null });
      for (const scopes of [['stock:read', 'stock:write'], []] as const) {
        hash = randomHash();
        await add({ scopes });
        expect((await holder())?.scopes).toEqual(scopes);
      }
    });

    it('may be limited to uploads', async () => {
      await add();
      expect(await holder()).toMatchObject({ kind: 'app', upload: null });
      for (const upload of [
        { folder: 'promo', presetId: 5 },
        { folder: '', presetId: null },
      ]) {
        hash = randomHash();
        await add({ upload, scopes: ['media:write'] });
        expect(await holder()).toMatchObject({ kind: 'upload', upload, scopes: ['media:write'] });
      }
    });

    it('is not added for a missing app', async () => {
      expect(await add({ appId: 987_654_321 })).toBeUndefined();
      expect(await holder()).toBeUndefined();
    });

    it('is found with the current settings of the app', async () => {
      await add();
      await fixture.apps.patch(appId, { proforma: { lifetime_hours: 5 } });
      expect((await holder())?.app.settings.proforma).toEqual({
        lifetimeHours: 5,
        expirePaid: false,
        minimumBasketAmount: 0,
      });
    });

    it('uses its own language, otherwise the default of the app', async () => {
      await fixture.apps.patch(appId, { translations: { sr: { hello: 'zdravo' }, en: { hello: 'hi' } } });
      await add({ language: 'sr' });
      const otherHash = randomHash();
      await add({ hash: otherHash });
      expect((await holder())?.app.say('hello')).toBe('zdravo');
      expect((await holder(otherHash))?.app.say('hello')).toBe('hi');
      await fixture.apps.patch(appId, { default_language: 'sr' });
      expect((await holder(otherHash))?.app.say('hello')).toBe('zdravo');
    });

    it('is not found in another app', async () => {
      await add();
      const otherApp = await fixture.makeApp();
      expect(await holder(hash, otherApp)).toBeUndefined();
      expect(await fixture.accessTokens.revoke({ hash, appId: otherApp })).toBe(false);
      expect(await holder()).toMatchObject({ revokedAt: null });
    });

    it('is still found after it has expired', async () => {
      const expiresAt = new Date(fixture.clock.now().getTime() + 1_000);
      await add({ expiresAt });
      fixture.clock.forward({ seconds: 5 });
      expect(await holder()).toMatchObject({ expiresAt, revokedAt: null });
    });

    it('is distinct from other tokens of its app and of other apps', async () => {
      const [secondHash, foreignHash] = [randomHash(), randomHash()];
      const otherApp = await fixture.makeApp();
      await Promise.all([add(), add({ hash: secondHash }), add({ appId: otherApp, hash: foreignHash })]);
      const holders = await Promise.all([holder(), holder(secondHash), holder(foreignHash, otherApp)]);
      expect(new Set(holders.map((tokenHolder) => tokenHolder?.tokenId)).size).toBe(3);
      expect(holders.map((tokenHolder) => tokenHolder?.app.id)).toEqual([appId, appId, otherApp]);
    });
  });

  describe('a token that does not name its app', () => {
    const key = () => ({ hash, appId: undefined });

    it('is found in any app', async () => {
      await fixture.makeApp();
      const token = await add();
      expect(await fixture.accessTokenQueries.holderOf(key())).toMatchObject({
        tokenId: token?.id,
        app: { id: appId },
      });
      expect(await fixture.accessTokenQueries.holderOf({ ...key(), hash: randomHash() })).toBeUndefined();
    });

    it('can be revoked', async () => {
      await add();
      expect(await fixture.accessTokens.revoke(key())).toBe(true);
      expect(await holder()).toMatchObject({ revokedAt: fixture.clock.now() });
    });
  });

  describe('the revocation of a token', () => {
    it('keeps the holder of the token, and keeps the first revocation time when repeated', async () => {
      await add();
      const revokedAt = fixture.clock.now();
      expect(await revoke()).toBe(true);
      fixture.clock.forward({ hours: 1 });
      expect(await revoke()).toBe(true);
      expect(await holder()).toMatchObject({ kind: 'app', revokedAt });
    });

    it('ignores an unknown token', async () => {
      expect(await revoke()).toBe(false);
    });

    it('does not affect other tokens', async () => {
      const otherHash = randomHash();
      await add();
      await add({ hash: otherHash });
      await revoke();
      expect(await holder(otherHash)).toMatchObject({ revokedAt: null });
    });

    it('ends the session to which the token belongs', async () => {
      await fixture.startSession(appId, { tokenHash: hash });
      expect(await revoke()).toBe(true);
      expect(await holder()).toMatchObject({ kind: 'session', revokedAt: fixture.clock.now() });
    });
  });
}
