import type { ManualClock, Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { AccessTokenQueries, KeyedCall, KeyedCalls, Run, Session, Sessions } from '../index.js';
import { randomHash } from './hashes.js';

export interface GivenKeyedCalls {
  readonly keyedCalls: KeyedCalls;
  readonly sessions: Sessions;
  readonly accessTokenQueries: AccessTokenQueries;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  /** A write of the same database, in one transaction. */
  startSession(appId: number, fields: { readonly tokenHash: Uint8Array }): Promise<Session>;
  close(): Promise<void>;
}

const ANSWER = { status: 201, headers: { 'X-Seen': 'yes' }, text: new TextEncoder().encode('{"id":1}') };
const SILENCE = { hours: 1 };

/** The adapter may hold other calls. */
export function keyedCallsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenKeyedCalls>,
): void {
  let given: GivenKeyedCalls;
  let calls: KeyedCalls;
  let call: KeyedCall;
  before(async () => {
    given = await open();
    calls = given.keyedCalls;
  });
  after(() => given.close());
  beforeEach(async () => {
    call = { appId: await given.makeApp(), tokenId: 1, key: 'key', fingerprint: randomHash() };
  });

  const begin = async (changed: Partial<KeyedCall> = {}): Promise<Run> => {
    const begun = await calls.begin({ ...call, ...changed });
    expect(begun).toHaveProperty('once');
    return begun as Run;
  };
  const again = () => calls.begin(call);
  const known = async () => {
    const answer = await again();
    expect(answer).toHaveProperty('status');
    const { text, ...rest } = answer as { readonly text?: Uint8Array };
    return { ...rest, ...(text && { text: new TextDecoder().decode(text) }) };
  };
  const write = (tokenHash = randomHash()) => given.startSession(call.appId, { tokenHash });
  const isWritten = async (hash: Uint8Array) => (await given.accessTokenQueries.holderOf(hash)) !== undefined;

  describe('a key', () => {
    it('starts one run for concurrent calls', async () => {
      const begun = await Promise.all(Array.from({ length: 10 }, again));
      expect(begun.filter((each) => each === 'running')).toHaveLength(9);
      expect(begun.find((each) => each !== 'running')).toMatchObject({ ...call, id: expect.any(String) });
    });

    it('belongs to one call', async () => {
      await begin();
      expect(await calls.begin({ ...call, fingerprint: randomHash() })).toBe('reused');
    });

    it('differs by app, token and case', async () => {
      await begin();
      await begin({ appId: await given.makeApp() });
      await begin({ tokenId: 2 });
      await begin({ key: 'KEY' });
      expect(await again()).toBe('running');
    });

    it('can be taken over by the same call when its run is dead', async () => {
      await begin();
      given.clock.forward(SILENCE);
      expect(await calls.begin({ ...call, fingerprint: randomHash() })).toBe('reused');
      expect((await begin()).once.isWritten).toBe(false);
    });

    it('stays with a run that renews its lease', async () => {
      const run = await begin();
      for (let count = 0; count < 10; count += 1) {
        given.clock.forward({ seconds: 5 });
        await calls.renew(run);
        expect(await again()).toBe('running');
      }
    });

    it('is free at once after a release', async () => {
      await calls.release(await begin());
      const run = await begin({ fingerprint: randomHash() });
      expect(run.once.isWritten).toBe(false);
    });
  });

  describe('an answer', () => {
    it('is returned to every repeat and to no other call', async () => {
      await calls.keep(await begin(), ANSWER);
      const shown = { status: 201, headers: ANSWER.headers, text: '{"id":1}' };
      expect([await known(), await known()]).toEqual([shown, shown]);
      expect(await calls.begin({ ...call, fingerprint: randomHash() })).toBe('reused');
    });

    it('may have no text', async () => {
      await calls.keep(await begin(), { status: 204, headers: {} });
      expect(await known()).toEqual({ status: 204, headers: {} });
    });

    it('survives the end of the lease and a late release', async () => {
      const run = await begin();
      await calls.keep(run, ANSWER);
      await calls.release(run);
      given.clock.forward(SILENCE);
      expect(await known()).toMatchObject({ status: 201 });
    });

    it('of a run that lost its key is not stored', async () => {
      const lost = await begin();
      given.clock.forward(SILENCE);
      const run = await begin();
      await calls.keep(lost, { ...ANSWER, status: 200 });
      await calls.release(lost);
      expect(await again()).toBe('running');
      await calls.keep(run, ANSWER);
      expect(await known()).toMatchObject({ status: 201 });
    });

    it('expires after 24 hours, for any call', async () => {
      await calls.keep(await begin(), ANSWER);
      given.clock.forward({ hours: 24 });
      expect(await known()).toMatchObject({ status: 201 });
      given.clock.forward({ seconds: 1 });
      await begin({ fingerprint: randomHash() });
    });

    it('is purged after 24 hours, not before', async () => {
      await calls.keep(await begin(), ANSWER);
      given.clock.forward({ hours: 24 });
      while (await calls.purge());
      expect(await known()).toMatchObject({ status: 201 });
      given.clock.forward({ seconds: 1 });
      while (await calls.purge());
      given.clock.forward({ seconds: -1 });
      await begin();
    });
  });

  describe('the write of a run', () => {
    it('returns the result of its work', async () => {
      const run = await begin();
      expect(await run.once.run(async () => (await write()).id)).toEqual(expect.any(Number));
      expect(run.once.isWritten).toBe(false);
      expect(await again()).toBe('running');
    });

    it('is the first transaction; a later run gets its result', async () => {
      const first = await begin();
      const session = await first.once.run(() => write());
      await calls.release(first);
      const second = await begin();
      expect(second.once.isWritten).toBe(true);
      const [unwritten, written] = [randomHash(), randomHash()];
      const resumed = await second.once.run(async () => [await write(unwritten), await write(written)] as const);
      expect(resumed[0]).toEqual(session);
      expect(resumed[1].id).not.toBe(session.id);
      expect([await isWritten(unwritten), await isWritten(written)]).toEqual([false, true]);
    });

    it('is kept after several dead runs', async () => {
      const session = await (await begin()).once.run(() => write());
      for (const _ of [1, 2]) {
        given.clock.forward(SILENCE);
        const run = await begin();
        expect(run.once.isWritten).toBe(true);
        expect(await run.once.run(() => write())).toEqual(session);
      }
    });

    it('expires after 24 hours, also when the key was taken over', async () => {
      await (await begin()).once.run(() => write());
      given.clock.forward({ hours: 23 });
      await begin();
      given.clock.forward({ hours: 1, seconds: 1 });
      expect((await begin()).once.isWritten).toBe(false);
    });

    it('is not done when a transaction fails', async () => {
      const [taken, hash] = [randomHash(), randomHash()];
      await write(taken);
      const run = await begin();
      const session = await run.once.run(async () => {
        await expect(write(taken)).rejects.toThrow();
        return write(hash);
      });
      expect(await isWritten(hash)).toBe(true);
      await calls.release(run);
      expect(await (await begin()).once.run(() => write())).toEqual(session);
    });

    it('of a run that lost its key is not done', async () => {
      const lost = await begin();
      given.clock.forward(SILENCE);
      const run = await begin();
      const hash = randomHash();
      await expect(lost.once.run(() => write(hash))).rejects.toMatchObject({ name: 'WrittenByAnother' });
      expect(await isWritten(hash)).toBe(false);
      expect(await run.once.run(async () => (await write()).id)).toEqual(expect.any(Number));
    });

    it('is separate from those of concurrent calls', async () => {
      const runs = await Promise.all([begin({ key: 'a' }), begin({ key: 'b' })]);
      const written = await Promise.all(runs.map((run) => run.once.run(() => write())));
      await Promise.all(runs.map((run) => calls.release(run)));
      const resumed = await Promise.all([begin({ key: 'a' }), begin({ key: 'b' })]);
      expect(await Promise.all(resumed.map((run) => run.once.run(() => write())))).toEqual(written);
    });
  });
}
