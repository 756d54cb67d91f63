import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { Session, SessionAdministration, TokenAdministration } from '../index.js';
import { randomHash } from './hashes.js';
import type { SessionFixture } from './sessions.contract.js';

export interface SessionAdministrationFixture extends SessionFixture {
  readonly sessionAdministration: SessionAdministration;
  readonly tokenAdministration: TokenAdministration;
}

const DEVICE = { uuid: 'phone', type: 'mobile', vendor: null, mobileInfo: null };
const PAGE = { offset: 0, limit: 30 };
const ABSENT_ID = 987_654_321;

export function sessionAdministrationContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<SessionAdministrationFixture>,
): void {
  let fixture: SessionAdministrationFixture;
  let administration: SessionAdministration;
  let appId: number;
  let customer: { readonly id: number; readonly dataPart: number; readonly timePart: number };
  before(async () => {
    fixture = await open();
    administration = fixture.sessionAdministration;
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
    const {
      id,
      data_part: dataPart,
      time_part: timePart,
    } = await fixture.addCustomer(appId, { external_ref: 'crm-1' });
    customer = { id, dataPart, timePart };
  });

  const inHours = (hours: number): Date => new Date(fixture.clock.now().getTime() + hours * 3_600_000);
  const start = async (fields: object = {}): Promise<Session & { readonly tokenHash: Uint8Array }> => {
    const tokenHash = randomHash();
    const session = { customer: null, device: DEVICE, language: null, expiresAt: inHours(1), tokenHash, ...fields };
    return { ...((await fixture.sessions.start(appId, session)) as Session), tokenHash };
  };
  const idsOf = async (filter: object = {}, page = PAGE) =>
    (await administration.list(appId, filter, page)).map(({ id }) => id);

  describe('the list of sessions', () => {
    it('shows the app’s sessions in the order of their ids, without tokens', async () => {
      const [anonymous, signedIn] = [await start(), await start({ customer })];
      await fixture.accessTokens.add({ appId, hash: randomHash() });
      const common = {
        deviceUuid: 'phone',
        deviceType: 'mobile',
        insertedAt: fixture.clock.now(),
        lastUsedAt: null,
        expiresAt: inHours(1),
        endedAt: null,
      };
      expect(await administration.list(appId, {}, PAGE)).toEqual([
        { id: anonymous.id, customerId: null, ...common },
        { id: signedIn.id, customerId: customer.id, ...common },
      ]);
      expect(await idsOf({}, { offset: 1, limit: 1 })).toEqual([signedIn.id]);
      expect(await administration.list(await fixture.makeApp(), {}, PAGE)).toEqual([]);
    });

    it('is filtered by customer and state', async () => {
      const [first, second, third] = [await start({ customer }), await start(), await start({ expiresAt: inHours(5) })];
      await fixture.sessions.end(appId, first.id);
      expect(await idsOf({ customerId: customer.id })).toEqual([first.id]);
      expect(await idsOf({ customerId: customer.id, isActive: true })).toEqual([]);
      expect(await idsOf({ isActive: true })).toEqual([second.id, third.id]);
      const now = fixture.clock.now();
      expect(await idsOf({ isActive: true, usedAfter: now })).toEqual([]);
      expect(await idsOf({ isActive: true, usedAfter: new Date(now.getTime() - 1_000) })).toHaveLength(2);
      fixture.clock.forward({ hours: 1 });
      expect(await idsOf({ isActive: true })).toEqual([third.id]);
    });
  });

  describe('a call that ends sessions', () => {
    const revokedAt = async (hash: Uint8Array) =>
      (await fixture.accessTokenQueries.holderOf({ hash, appId }))?.revokedAt;

    it('ends one session by its id, and keeps the first end time when repeated', async () => {
      const [session, other] = [await start(), await start()];
      const endedAt = fixture.clock.now();
      const ended = (await administration.end(appId, { id: session.id })) ?? [];
      expect(ended.map(({ id, tokenHash }) => [id, new Uint8Array(tokenHash)])).toEqual([
        [session.id, session.tokenHash],
      ]);
      fixture.clock.forward({ hours: 0.5 });
      expect(await administration.end(appId, { id: session.id })).toEqual([]);
      expect([await revokedAt(session.tokenHash), await revokedAt(other.tokenHash)]).toEqual([endedAt, null]);
    });

    it('ends all sessions of a customer', async () => {
      const sessions = [await start({ customer }), await start({ customer }), await start()];
      await fixture.sessions.end(appId, sessions[0]?.id ?? 0);
      const ended = await administration.end(appId, { customerId: customer.id });
      expect(ended?.map(({ id }) => id)).toEqual([sessions[1]?.id]);
      expect(await idsOf({ isActive: true })).toEqual([sessions[2]?.id]);
    });

    it('does not affect sessions of other apps or tokens of apps', async () => {
      const session = await start({ customer });
      const token = await fixture.accessTokens.add({ appId, hash: randomHash() });
      const otherAppId = await fixture.makeApp();
      expect(await administration.end(otherAppId, { id: session.id })).toBeUndefined();
      expect(await administration.end(otherAppId, { customerId: customer.id })).toEqual([]);
      for (const id of [token?.id ?? 0, ABSENT_ID]) expect(await administration.end(appId, { id })).toBeUndefined();
      expect(await administration.end(appId, { customerId: ABSENT_ID })).toEqual([]);
      expect(await idsOf({ isActive: true })).toEqual([session.id]);
    });
  });
}
