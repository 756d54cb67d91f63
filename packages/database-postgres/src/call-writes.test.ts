import { noteWritten, trackWrites as track } from './call-writes.js';
import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import { WriteOnce } from './write-once.js';

const isUnavailable = (error: unknown): boolean => error instanceof DatabaseUnavailable;
const trackWrites = <Result>(work: () => Promise<Result>) => track(work, isUnavailable);

const lost = (): Promise<never> => Promise.reject(new DatabaseUnavailable('gone'));

describe('a call that loses the database', () => {
  it('fails as unavailable before its write', async () => {
    await expect(trackWrites(lost)).rejects.toThrow(DatabaseUnavailable);
  });

  it('has an unknown outcome after its write', async () => {
    const call = trackWrites(async () => {
      noteWritten();
      await lost();
    });
    await expect(call).rejects.toThrow(UnknownOutcome);
  });

  it('has an unknown outcome when an earlier run has written', async () => {
    const mark = () => ({ text: '', values: [] });
    const runs = [null, Buffer.of(1)].map((earlier) => new WriteOnce(mark, earlier).run(() => trackWrites(lost)));
    const [fresh, resumed] = await Promise.allSettled(runs);
    expect((fresh as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable);
    expect((resumed as PromiseRejectedResult).reason).toBeInstanceOf(UnknownOutcome);
  });

  it('is independent of concurrent calls', async () => {
    const calls = [
      trackWrites(async () => {
        noteWritten();
        await Promise.resolve();
      }),
      trackWrites(lost),
    ];
    const [, second] = await Promise.allSettled(calls);
    expect((second as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable);
  });

  it('keeps errors that are no database failures', async () => {
    const call = trackWrites(() => {
      noteWritten();
      return Promise.reject(new TypeError('a bug'));
    });
    await expect(call).rejects.toThrow(TypeError);
  });
});
