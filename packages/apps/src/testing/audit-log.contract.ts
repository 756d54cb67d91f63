import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import {
  AUDIT_SCOPE_MISSING,
  type AccessTokens,
  type Actor,
  type Apps,
  type AppToken,
  type AuditLog,
  type AuditFilter,
  type TokenAdministration,
} from '../index.js';
import { randomHash } from './hashes.js';

export interface AuditLogFixture {
  readonly auditLog: AuditLog;
  readonly apps: Apps;
  readonly accessTokens: AccessTokens;
  readonly tokenAdministration: TokenAdministration;
  readonly calls: { runAs<Result>(actor: Actor, work: () => Promise<Result>): Promise<Result> };
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  close(): Promise<void>;
}

const ACTOR: Actor = {
  kind: 'app',
  tokenId: 5,
  customerId: null,
  address: '192.0.2.1',
  requestId: 'request-1',
  serviceRequestId: 'service-1',
};
const WORKER = {
  kind: 'worker',
  tokenId: null,
  customerId: null,
  address: null,
  requestId: null,
  serviceRequestId: null,
};
const PAGE = { offset: 0, limit: 30 };

export function auditLogContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<AuditLogFixture>,
): void {
  let fixture: AuditLogFixture;
  let appId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
  });

  const list = (filter: AuditFilter = {}, page = PAGE) => fixture.auditLog.list(appId, filter, page);
  const setLifetime = (hours: number, app = appId) => fixture.apps.patch(app, { proforma: { lifetime_hours: hours } });
  const setLifetimeAs = (tokenId: number, hours: number) =>
    fixture.calls.runAs({ ...ACTOR, tokenId }, () => setLifetime(hours));
  const addToken = async (fields: object = {}): Promise<AppToken> =>
    (await fixture.accessTokens.add({ appId, hash: randomHash(), ...fields })) as AppToken;

  describe('the audit entry of a change', () => {
    it('contains the actor, the action and the changed values', async () => {
      await fixture.calls.runAs(ACTOR, () => setLifetime(5));
      expect(await list()).toEqual([
        {
          id: expect.any(Number),
          at: fixture.clock.now(),
          ...ACTOR,
          action: 'settings.change',
          subjectId: null,
          before: { 'proforma.lifetime_hours': 72 },
          after: { 'proforma.lifetime_hours': 5 },
        },
      ]);
    });

    it('has the worker as actor when the change names no actor, even during calls of other actors', async () => {
      await Promise.all([setLifetimeAs(7, 5), setLifetime(6, await fixture.makeApp())]);
      expect((await list()).map(({ tokenId }) => tokenId)).toEqual([7]);
      await setLifetime(7);
      expect((await list())[0]).toMatchObject(WORKER);
    });

    it('is not written when nothing changes or the change is refused', async () => {
      await setLifetime(72);
      expect(await fixture.apps.patch(appId, { default_warehouse_code: 'absent', name: 'x' })).toHaveProperty('errors');
      expect(await list()).toEqual([]);
    });

    it('lists only the languages of changed translations', async () => {
      await fixture.apps.patch(appId, { translations: { sr: { hello: 'zdravo' }, de: { hello: 'hallo' } } });
      expect(await list()).toMatchObject([{ before: {}, after: { translations: ['sr', 'de'] } }]);
    });
  });

  describe('the audit entries of tokens', () => {
    it('contain no secrets, and cover every change of a token', async () => {
      const token = await addToken({ name: 'ERP', scopes: ['stock:read'] });
      await fixture.tokenAdministration.change(appId, token.id, { name: 'PIM' }, null);
      const end = new Date(fixture.clock.now().getTime() + 3_600_000);
      const rotation = { hash: randomHash(), expiresAt: end, overlapEndsAt: end };
      const newToken = (await fixture.tokenAdministration.rotate(appId, token.id, rotation, null)) as AppToken;
      await fixture.tokenAdministration.revoke(appId, token.id, null);
      await fixture.tokenAdministration.revoke(appId, token.id, null);
      const [revoked, rotated, changed, created, ...others] = await list();
      expect(others).toEqual([]);
      expect(created).toMatchObject({ action: 'access_token.create', subjectId: token.id, before: null });
      expect(created?.after).toMatchObject({ name: 'ERP', scopes: ['stock:read'] });
      expect(changed).toMatchObject({ action: 'access_token.change', before: { name: 'ERP' }, after: { name: 'PIM' } });
      expect(rotated).toMatchObject({
        action: 'access_token.rotate',
        subjectId: token.id,
        after: { access_token_id: newToken.id },
      });
      expect(revoked).toMatchObject({
        action: 'access_token.revoke',
        subjectId: token.id,
        before: { revoked_at: null },
      });
    });

    it('record only one revocation when a token is revoked twice', async () => {
      const hash = randomHash();
      await addToken({ hash });
      await fixture.accessTokens.revoke({ hash, appId });
      await fixture.accessTokens.revoke({ hash, appId });
      expect((await list()).map(({ action }) => action)).toEqual(['access_token.revoke', 'access_token.create']);
    });
  });

  describe('the list of audit entries', () => {
    it('returns pages of one app, newest entry first', async () => {
      for (const hours of [1, 2, 3]) await setLifetime(hours);
      await setLifetime(9, await fixture.makeApp());
      const hoursOf = async (page: typeof PAGE) =>
        (await list({}, page)).map(({ after: change }) => Object.values(change ?? {})[0] as number);
      expect(await hoursOf(PAGE)).toEqual([3, 2, 1]);
      expect(await hoursOf({ offset: 1, limit: 1 })).toEqual([2]);
    });

    it('is filtered by action, record, token and time', async () => {
      const start = fixture.clock.now();
      await setLifetimeAs(7, 1);
      fixture.clock.forward({ seconds: 10 });
      const { id: subjectId } = await addToken();
      const [created, changed] = await list();
      expect(await list({ action: 'settings.change' })).toEqual([changed]);
      expect(await list({ action: 'access_token.create', subjectId })).toEqual([created]);
      expect(await list({ subjectId: subjectId + 1 })).toEqual([]);
      expect(await list({ tokenId: 7 })).toEqual([changed]);
      expect(await list({ from: fixture.clock.now() })).toEqual([created]);
      expect(await list({ from: start, until: fixture.clock.now() })).toEqual([changed]);
    });
  });

  describe('the purge of audit entries', () => {
    it('removes each entry after the retention time of its app', async () => {
      const otherAppId = await fixture.makeApp();
      await fixture.apps.patch(otherAppId, { audit: { retention_days: 10 } });
      fixture.clock.forward({ hours: 1 });
      await setLifetime(1, otherAppId);
      await setLifetime(1);
      const countAfter = async (hours: number) => {
        fixture.clock.forward({ hours });
        while (await fixture.auditLog.purge());
        fixture.clock.forward({ hours: -hours });
        return [(await list()).length, (await fixture.auditLog.list(otherAppId, {}, PAGE)).length];
      };
      expect(await countAfter(10 * 24)).toEqual([1, 2]);
      // A shorter retention does not count for earlier entries.
      expect(await countAfter(10 * 24 + 1)).toEqual([1, 1]);
      expect(await countAfter(400 * 24 + 1)).toEqual([0, 0]);
    });

    it('is shortened only by a caller who may change the audit log', async () => {
      await fixture.apps.patch(appId, { audit: { retention_days: 900 } }, false);
      for (const audit of [{ retention_days: 899 }, { retention_days: null }, null]) {
        expect(await fixture.apps.patch(appId, { audit }, false)).toEqual(AUDIT_SCOPE_MISSING);
      }
      expect(await fixture.apps.patch(appId, { audit: { retention_days: 901 } }, false)).toHaveProperty('id', appId);
      expect(await fixture.apps.patch(appId, { audit: { retention_days: 30 } }, true)).toHaveProperty('id', appId);
    });
  });
}
