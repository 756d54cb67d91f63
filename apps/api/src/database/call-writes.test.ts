import { noteWritten, tellingWrites as telling } from './call-writes.js';
import { DatabaseUnavailable, UnknownOutcome } from './failures.js';
import { WriteOnce } from './write-once.js';

const isUnavailable = (error: unknown): boolean => error instanceof DatabaseUnavailable;
const tellingWrites = <Result>(work: () => Promise<Result>) => telling(work, isUnavailable);

const lost = (): Promise<never> => Promise.reject(new DatabaseUnavailable('gone'));

describe('a call that loses the database', () => {
  it('says that nothing is written when it has written nothing', async () => {
    await expect(tellingWrites(lost)).rejects.toThrow(DatabaseUnavailable);
  });

  it('says that nobody knows once it has written', async () => {
    const call = tellingWrites(async () => {
      noteWritten();
      await lost();
    });
    await expect(call).rejects.toThrow(UnknownOutcome);
  });

  it('says that nobody knows when an earlier run of it has written', async () => {
    const mark = () => ({ text: '', values: [] });
    const runs = [null, Buffer.of(1)].map((earlier) => new WriteOnce(mark, earlier).run(() => tellingWrites(lost)));
    const [fresh, resumed] = await Promise.allSettled(runs);
    expect((fresh as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable);
    expect((resumed as PromiseRejectedResult).reason).toBeInstanceOf(UnknownOutcome);
  });

  it('is not taken for another that has written at the same time', async () => {
    const calls = [
      tellingWrites(async () => {
        noteWritten();
        await Promise.resolve();
      }),
      tellingWrites(lost),
    ];
    const [, second] = await Promise.allSettled(calls);
    expect((second as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable);
  });

  it('fails as it does when that is no fault of the database', async () => {
    const call = tellingWrites(() => {
      noteWritten();
      return Promise.reject(new TypeError('a bug'));
    });
    await expect(call).rejects.toThrow(TypeError);
  });
});
