import { noteWritten, trackWrites as track } from './call-writes.js';
import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import { WriteOnce } from './write-once.js';

const isUnavailable = (error: unknown): boolean => error instanceof DatabaseUnavailable;
const trackCall = <Result>(work: () => Promise<Result>) => track(work, isUnavailable);

const loseDatabase = (): Promise<never> => Promise.reject(new DatabaseUnavailable('gone'));

describe('a call that loses its database connection', () => {
  it('fails as unavailable before its write', async () => {
    await expect(trackCall(loseDatabase)).rejects.toThrow(DatabaseUnavailable);
  });

  it('fails with an unknown outcome after its write', async () => {
    const call = trackCall(async () => {
      noteWritten();
      await loseDatabase();
    });
    await expect(call).rejects.toThrow(UnknownOutcome);
  });

  it('fails with an unknown outcome when an earlier run of the keyed call has written', async () => {
    const storeResultStatement = () => ({ text: '', values: [] });
    const runs = [null, Buffer.of(1)].map((earlierResult) =>
      new WriteOnce(storeResultStatement, earlierResult).run(() => trackCall(loseDatabase)),
    );
    const [firstRun, resumedRun] = await Promise.allSettled(runs);
    expect((firstRun as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable);
    expect((resumedRun as PromiseRejectedResult).reason).toBeInstanceOf(UnknownOutcome);
  });

  it('ignores the writes of concurrent calls', async () => {
    const calls = [
      trackCall(async () => {
        noteWritten();
        await Promise.resolve();
      }),
      trackCall(loseDatabase),
    ];
    const [, callWithLostConnection] = await Promise.allSettled(calls);
    expect((callWithLostConnection as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable);
  });

  it('passes on errors that are not database failures', async () => {
    const call = trackCall(() => {
      noteWritten();
      return Promise.reject(new TypeError('a bug'));
    });
    await expect(call).rejects.toThrow(TypeError);
  });
});
