import { noteWritten, tellingWrites } from './call-writes.js';
import { DatabaseUnavailable, UnknownOutcome } from './failures.js';

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
