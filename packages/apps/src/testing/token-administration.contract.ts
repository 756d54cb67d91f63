import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { AppToken, GrantedScopes, TokenAdministration } from '../index.js';
import type { AccessTokenFixture } from './access-tokens.contract.js';
import { randomHash } from './hashes.js';

export interface TokenAdministrationFixture extends AccessTokenFixture {
  readonly tokenAdministration: TokenAdministration;
}

const PAGE = { offset: 0, limit: 30 };
const ALL: GrantedScopes = null;
const NOT_HELD = { refused: 'API.Tokens.ScopeNotHeld' };
const NOT_ACTIVE = { refused: 'API.Tokens.NotActive' };
const ABSENT_ID = 987_654_321;

export function tokenAdministrationContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<TokenAdministrationFixture>,
): void {
  let fixture: TokenAdministrationFixture;
  let tokens: TokenAdministration;
  let appId: number;
  let otherAppId: number;
  let hash: Uint8Array;
  before(async () => {
    fixture = await open();
    tokens = fixture.tokenAdministration;
  });
  after(() => fixture.close());
  beforeEach(async () => {
    [appId, otherAppId] = [await fixture.makeApp(), await fixture.makeApp()];
    hash = randomHash();
  });

  const add = async (fields: object = {}): Promise<AppToken> =>
    (await fixture.accessTokens.add({ appId, hash, ...fields })) as AppToken;
  const inHours = (hours: number): Date => new Date(fixture.clock.now().getTime() + hours * 3_600_000);
  const rotation = (overlapHours: number) => ({
    hash: randomHash(),
    expiresAt: inHours(100),
    overlapEndsAt: inHours(overlapHours),
  });
  const list = () => tokens.list(appId, PAGE);

  describe('the list of tokens', () => {
    it('shows the app’s tokens in the order of their ids, without sessions', async () => {
      const expiresAt = inHours(1);
      const first = await add({ name: 'ERP', scopes: ['stock:read'], language: 'sr', expiresAt });
      const insertedAt = fixture.clock.now();
      const second = await add({ hash: randomHash() });
      await fixture.startSession(appId, { tokenHash: randomHash() });
      const unused = { lastUsedAt: null, revokedAt: null, insertedAt };
      expect(await list()).toEqual([
        { id: first.id, name: 'ERP', scopes: ['stock:read'], language: 'sr', expiresAt, ...unused },
        { id: second.id, name: null, scopes: null, language: null, expiresAt: null, ...unused },
      ]);
      expect(await list()).toEqual([first, second]);
      expect(await tokens.list(appId, { offset: 1, limit: 1 })).toEqual([second]);
      expect(await tokens.list(otherAppId, PAGE)).toEqual([]);
    });
  });

  describe('a change of a token', () => {
    it('keeps absent fields, and stores null values', async () => {
      const token = await add({ name: 'ERP', scopes: ['stock:read'] });
      const other = await add({ hash: randomHash(), name: 'PIM' });
      const expiresAt = inHours(2);
      expect(await tokens.change(appId, token.id, { expiresAt }, ALL)).toEqual({ ...token, expiresAt });
      const change = { name: null, scopes: null };
      expect(await tokens.change(appId, token.id, change, ALL)).toEqual({ ...token, ...change, expiresAt });
      expect(await list()).toEqual([{ ...token, ...change, expiresAt }, other]);
      expect(await fixture.accessTokenQueries.holderOf({ hash, appId })).toMatchObject({ scopes: null, expiresAt });
    });

    it('is refused when the caller lacks a scope, and changes nothing', async () => {
      const token = await add({ scopes: ['stock:read'] });
      expect(await tokens.change(appId, token.id, { name: 'x' }, ['orders:read'])).toEqual(NOT_HELD);
      expect(await tokens.change(appId, token.id, { scopes: ['orders:read'] }, ['stock:read'])).toEqual(NOT_HELD);
      expect(await tokens.change(appId, token.id, { scopes: null }, ['stock:read'])).toEqual(NOT_HELD);
      expect(await list()).toEqual([token]);
    });

    it('is refused for a token that is revoked or has expired', async () => {
      const revoked = await add();
      const expired = await add({ hash: randomHash(), expiresAt: fixture.clock.now() });
      await fixture.accessTokens.revoke({ hash, appId });
      for (const { id } of [revoked, expired]) {
        expect(await tokens.change(appId, id, { name: 'x' }, ALL)).toEqual(NOT_ACTIVE);
        expect(await tokens.rotate(appId, id, rotation(1), ALL)).toEqual(NOT_ACTIVE);
      }
    });

    it('finds no token of another app, and no session', async () => {
      const token = await add();
      const session = await fixture.startSession(appId, { tokenHash: randomHash() });
      for (const [app, id] of [
        [otherAppId, token.id],
        [appId, session.id],
        [appId, ABSENT_ID],
      ] as const) {
        expect(await tokens.change(app, id, { name: 'x' }, ALL)).toBeUndefined();
        expect(await tokens.rotate(app, id, rotation(1), ALL)).toBeUndefined();
        expect(await tokens.revoke(app, id, ALL)).toBeUndefined();
      }
      expect(await list()).toEqual([token]);
    });
  });

  describe('the rotation of a token', () => {
    it('adds a token with the same settings, and ends the old one after the overlap', async () => {
      const token = await add({ name: 'ERP', scopes: ['stock:read'], language: 'sr' });
      const other = await add({ hash: randomHash() });
      const change = rotation(5);
      fixture.clock.forward({ seconds: 1 });
      const newToken = (await tokens.rotate(appId, token.id, change, ['stock:read'])) as AppToken;
      const { id, expiresAt, insertedAt, ...properties } = newToken;
      expect({ ...token, ...properties }).toEqual(token);
      expect([expiresAt, insertedAt]).toEqual([change.expiresAt, fixture.clock.now()]);
      expect(await list()).toEqual([{ ...token, expiresAt: change.overlapEndsAt }, other, newToken]);
      expect(await fixture.accessTokenQueries.holderOf({ hash: change.hash, appId })).toMatchObject({
        tokenId: id,
        app: { id: appId },
      });
    });

    it('hands the upload tokens of the old token to the new one', async () => {
      const token = await add();
      const [uploadHash, change] = [randomHash(), rotation(5)];
      const upload = { folder: '', presetId: null };
      await fixture.accessTokens.add({ appId, hash: uploadHash, upload, createdBy: token.id });
      const newToken = (await tokens.rotate(appId, token.id, change, ALL)) as AppToken;
      await tokens.revoke(appId, token.id, ALL);
      const holder = () => fixture.accessTokenQueries.holderOf({ hash: uploadHash, appId });
      expect(await holder()).toMatchObject({ kind: 'upload', revokedAt: null });
      await tokens.revoke(appId, newToken.id, ALL);
      expect(await holder()).toMatchObject({ revokedAt: fixture.clock.now() });
    });

    it('never postpones the end of the old token', async () => {
      const token = await add({ expiresAt: inHours(1) });
      await tokens.rotate(appId, token.id, rotation(5), ALL);
      expect((await list())[0]?.expiresAt).toEqual(token.expiresAt);
    });

    it('is refused when the caller lacks a scope', async () => {
      const token = await add();
      expect(await tokens.rotate(appId, token.id, rotation(5), ['tokens:write'])).toEqual(NOT_HELD);
      expect(await list()).toEqual([token]);
    });
  });

  describe('the revocation of a token by its id', () => {
    it('returns the hash of the token, and keeps the time of the first revocation when repeated', async () => {
      const token = await add({ scopes: ['stock:read'] });
      const other = await add({ hash: randomHash() });
      const revokedAt = fixture.clock.now();
      expect(new Uint8Array((await tokens.revoke(appId, token.id, ['stock:read'])) as Uint8Array)).toEqual(hash);
      fixture.clock.forward({ hours: 1 });
      expect(new Uint8Array((await tokens.revoke(appId, token.id, ALL)) as Uint8Array)).toEqual(hash);
      expect(await list()).toEqual([{ ...token, revokedAt }, other]);
    });

    it('is refused when the caller lacks a scope', async () => {
      const token = await add();
      expect(await tokens.revoke(appId, token.id, ['tokens:write'])).toEqual(NOT_HELD);
      expect(await list()).toEqual([token]);
    });
  });

  describe('the time of the last use of a token', () => {
    const lastUse = async () => (await list())[0]?.lastUsedAt;

    it('is written at most once a minute', async () => {
      const { id: tokenId } = await add();
      const at = fixture.clock.now();
      await tokens.recordUses(appId, [{ tokenId, at }]);
      expect(await lastUse()).toEqual(at);
      await tokens.recordUses(appId, [{ tokenId, at: new Date(at.getTime() + 59_999) }]);
      expect(await lastUse()).toEqual(at);
      const later = new Date(at.getTime() + 60_000);
      await tokens.recordUses(appId, [{ tokenId, at: later }]);
      expect(await lastUse()).toEqual(later);
      await tokens.recordUses(appId, [{ tokenId, at }]);
      expect(await lastUse()).toEqual(later);
      expect(await fixture.accessTokenQueries.holderOf({ hash, appId })).toMatchObject({ lastUsedAt: later });
    });

    it('is written for many tokens and sessions of one app at once', async () => {
      const sessionHash = randomHash();
      const [token, session] = [await add(), await fixture.startSession(appId, { tokenHash: sessionHash })];
      const at = fixture.clock.now();
      const uses = [session.id, token.id, ABSENT_ID].map((tokenId) => ({ tokenId, at }));
      await tokens.recordUses(otherAppId, uses);
      expect(await lastUse()).toBeNull();
      await Promise.all([tokens.recordUses(appId, uses), tokens.recordUses(appId, [...uses].reverse())]);
      expect(await lastUse()).toEqual(at);
      expect(await fixture.accessTokenQueries.holderOf({ hash: sessionHash, appId })).toMatchObject({ lastUsedAt: at });
    });
  });
}
