import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import {
  MAX_ANSWER_BYTES_OF_APP,
  type AccessTokenQueries,
  type KeyedCall,
  type KeyedCalls,
  type Run,
  type Session,
  type Sessions,
} from '../index.js';
import { randomHash } from './hashes.js';

export interface KeyedCallFixture {
  readonly keyedCalls: KeyedCalls;
  readonly sessions: Sessions;
  readonly accessTokenQueries: AccessTokenQueries;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  /** Writes the session in one transaction of the database under test. */
  startSession(appId: number, fields: { readonly tokenHash: Uint8Array }): Promise<Session>;
  close(): Promise<void>;
}

const ANSWER = { status: 201, headers: { 'X-Seen': 'yes' }, text: new TextEncoder().encode('{"id":1}') };
const LEASE_END = { hours: 1 };

export function keyedCallsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<KeyedCallFixture>,
): void {
  let fixture: KeyedCallFixture;
  let calls: KeyedCalls;
  let call: KeyedCall;
  before(async () => {
    fixture = await open();
    calls = fixture.keyedCalls;
  });
  after(() => fixture.close());
  beforeEach(async () => {
    call = { appId: await fixture.makeApp(), tokenId: 1, key: 'key', fingerprint: randomHash() };
  });

  const beginRun = async (overrides: Partial<KeyedCall> = {}): Promise<Run> => {
    const result = await calls.begin({ ...call, ...overrides });
    expect(result).toHaveProperty('keyedWrite');
    return result as Run;
  };
  const repeatCall = () => calls.begin(call);
  const storedAnswer = async () => {
    const answer = await repeatCall();
    expect(answer).toHaveProperty('status');
    const { text, ...otherFields } = answer as { readonly text?: Uint8Array };
    return { ...otherFields, ...(text && { text: new TextDecoder().decode(text) }) };
  };
  const write = (tokenHash = randomHash()) => fixture.startSession(call.appId, { tokenHash });
  const isWritten = async (hash: Uint8Array) =>
    (await fixture.accessTokenQueries.holderOf({ hash, appId: call.appId })) !== undefined;

  describe('an idempotency key', () => {
    it('lets only one of several concurrent calls run', async () => {
      const results = await Promise.all(Array.from({ length: 10 }, repeatCall));
      expect(results.filter((result) => result === 'running')).toHaveLength(9);
      expect(results.find((result) => result !== 'running')).toMatchObject({ ...call, id: expect.any(String) });
    });

    it('is refused for a different call', async () => {
      await beginRun();
      expect(await calls.begin({ ...call, fingerprint: randomHash() })).toBe('reused');
    });

    it('is separate for each app and token, and is case-sensitive', async () => {
      await beginRun();
      await beginRun({ appId: await fixture.makeApp() });
      await beginRun({ tokenId: 2 });
      await beginRun({ key: 'KEY' });
      expect(await repeatCall()).toBe('running');
    });

    it('lets a repeated call run again after the lease of the first run has ended', async () => {
      await beginRun();
      fixture.clock.forward(LEASE_END);
      expect(await calls.begin({ ...call, fingerprint: randomHash() })).toBe('reused');
      expect((await beginRun()).keyedWrite.isWritten).toBe(false);
    });

    it('stays locked while its run renews the lease', async () => {
      const run = await beginRun();
      for (let count = 0; count < 10; count += 1) {
        fixture.clock.forward({ seconds: 5 });
        await calls.renew(run);
        expect(await repeatCall()).toBe('running');
      }
    });

    it('can be used by a different call as soon as its run has released it', async () => {
      await calls.release(await beginRun());
      const run = await beginRun({ fingerprint: randomHash() });
      expect(run.keyedWrite.isWritten).toBe(false);
    });
  });

  describe('the stored answer of a keyed call', () => {
    it('is returned when the call is repeated, but not to a different call', async () => {
      await calls.storeAnswer(await beginRun(), ANSWER);
      const expectedAnswer = { status: 201, headers: ANSWER.headers, text: '{"id":1}' };
      expect([await storedAnswer(), await storedAnswer()]).toEqual([expectedAnswer, expectedAnswer]);
      expect(await calls.begin({ ...call, fingerprint: randomHash() })).toBe('reused');
    });

    it('is dropped when the answers of the app exceed their maximum size, but the call still does not run again', async () => {
      const parts = 16;
      const text = new Uint8Array(MAX_ANSWER_BYTES_OF_APP / parts);
      for (let part = 0; part < parts; part += 1)
        await calls.storeAnswer(await beginRun({ key: `part ${part}` }), { ...ANSWER, text });
      await calls.storeAnswer(await beginRun(), ANSWER);
      expect(await repeatCall()).toBe('not kept');
      expect(await calls.begin({ ...call, fingerprint: randomHash() })).toBe('reused');
      expect(await calls.begin({ ...call, key: 'part 15' })).toHaveProperty('status', 201);
      const otherApp = { appId: await fixture.makeApp() };
      await calls.storeAnswer(await beginRun(otherApp), ANSWER);
      expect(await calls.begin({ ...call, ...otherApp })).toHaveProperty('status', 201);
      await calls.storeAnswer(await beginRun({ key: 'small' }), { status: 204, headers: {} });
      expect(await calls.begin({ ...call, key: 'small' })).toMatchObject({ status: 204 });
    });

    it('is kept once older answers of the app have expired', async () => {
      const text = new Uint8Array(MAX_ANSWER_BYTES_OF_APP / 8);
      for (let count = 1; count <= 8; count += 1)
        await calls.storeAnswer(await beginRun({ key: `large ${count}` }), { ...ANSWER, text });
      fixture.clock.forward({ hours: 25 });
      while (await calls.purge());
      await calls.storeAnswer(await beginRun(), ANSWER);
      expect(await storedAnswer()).toMatchObject({ status: 201 });
    });

    it('may have no body', async () => {
      await calls.storeAnswer(await beginRun(), { status: 204, headers: {} });
      expect(await storedAnswer()).toEqual({ status: 204, headers: {} });
    });

    it('is kept after its run releases the key, and after the lease ends', async () => {
      const run = await beginRun();
      await calls.storeAnswer(run, ANSWER);
      await calls.release(run);
      fixture.clock.forward(LEASE_END);
      expect(await storedAnswer()).toMatchObject({ status: 201 });
    });

    it('is ignored when it comes from a run that has lost the key', async () => {
      const lostRun = await beginRun();
      fixture.clock.forward(LEASE_END);
      const run = await beginRun();
      await calls.storeAnswer(lostRun, { ...ANSWER, status: 200 });
      await calls.release(lostRun);
      expect(await repeatCall()).toBe('running');
      await calls.storeAnswer(run, ANSWER);
      expect(await storedAnswer()).toMatchObject({ status: 201 });
    });

    it('expires after 24 hours; then a different call can use the key', async () => {
      await calls.storeAnswer(await beginRun(), ANSWER);
      fixture.clock.forward({ hours: 24 });
      expect(await storedAnswer()).toMatchObject({ status: 201 });
      fixture.clock.forward({ seconds: 1 });
      await beginRun({ fingerprint: randomHash() });
    });

    it('is purged after 24 hours, but not before', async () => {
      await calls.storeAnswer(await beginRun(), ANSWER);
      fixture.clock.forward({ hours: 24 });
      while (await calls.purge());
      expect(await storedAnswer()).toMatchObject({ status: 201 });
      fixture.clock.forward({ seconds: 1 });
      while (await calls.purge());
      fixture.clock.forward({ seconds: -1 });
      await beginRun();
    });
  });

  describe('the write of a keyed call', () => {
    it('returns the result of its work', async () => {
      const run = await beginRun();
      expect(await run.keyedWrite.run(async () => (await write()).id)).toEqual(expect.any(Number));
      expect(run.keyedWrite.isWritten).toBe(false);
      expect(await repeatCall()).toBe('running');
    });

    it('is its first transaction; a later run gets the stored result instead of writing again', async () => {
      const firstRun = await beginRun();
      const session = await firstRun.keyedWrite.run(() => write());
      await calls.release(firstRun);
      const secondRun = await beginRun();
      expect(secondRun.keyedWrite.isWritten).toBe(true);
      const [firstHash, secondHash] = [randomHash(), randomHash()];
      const results = await secondRun.keyedWrite.run(
        async () => [await write(firstHash), await write(secondHash)] as const,
      );
      expect(results[0]).toEqual(session);
      expect(results[1].id).not.toBe(session.id);
      expect([await isWritten(firstHash), await isWritten(secondHash)]).toEqual([false, true]);
    });

    it('returns the same result in each later run, even when several runs have died', async () => {
      const session = await (await beginRun()).keyedWrite.run(() => write());
      for (const _ of [1, 2]) {
        fixture.clock.forward(LEASE_END);
        const run = await beginRun();
        expect(run.keyedWrite.isWritten).toBe(true);
        expect(await run.keyedWrite.run(() => write())).toEqual(session);
      }
    });

    it('is forgotten after 24 hours, even if another run has taken over the key', async () => {
      await (await beginRun()).keyedWrite.run(() => write());
      fixture.clock.forward({ hours: 23 });
      await beginRun();
      fixture.clock.forward({ hours: 1, seconds: 1 });
      expect((await beginRun()).keyedWrite.isWritten).toBe(false);
    });

    it('is the first transaction that succeeds, not one that fails before it', async () => {
      const [takenHash, freeHash] = [randomHash(), randomHash()];
      await write(takenHash);
      const run = await beginRun();
      const session = await run.keyedWrite.run(async () => {
        await expect(write(takenHash)).rejects.toThrow();
        return write(freeHash);
      });
      expect(await isWritten(freeHash)).toBe(true);
      await calls.release(run);
      expect(await (await beginRun()).keyedWrite.run(() => write())).toEqual(session);
    });

    it('fails when another run has taken over the key', async () => {
      const lostRun = await beginRun();
      fixture.clock.forward(LEASE_END);
      const run = await beginRun();
      const hash = randomHash();
      await expect(lostRun.keyedWrite.run(() => write(hash))).rejects.toMatchObject({ name: 'WrittenByAnother' });
      expect(await isWritten(hash)).toBe(false);
      expect(await run.keyedWrite.run(async () => (await write()).id)).toEqual(expect.any(Number));
    });

    it('is stored separately for each of several concurrent calls', async () => {
      const runs = await Promise.all([beginRun({ key: 'a' }), beginRun({ key: 'b' })]);
      const sessions = await Promise.all(runs.map((run) => run.keyedWrite.run(() => write())));
      await Promise.all(runs.map((run) => calls.release(run)));
      const laterRuns = await Promise.all([beginRun({ key: 'a' }), beginRun({ key: 'b' })]);
      expect(await Promise.all(laterRuns.map((run) => run.keyedWrite.run(() => write())))).toEqual(sessions);
    });
  });
}
