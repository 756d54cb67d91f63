import { splitTidyPayload } from './job-rules.js';

describe('the jobs that tidy', () => {
  const named = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`);

  it('have at most 500 bytes or keys each, and all together', () => {
    const [blobs, keys] = [named(1_001), named(500)];
    const jobs = splitTidyPayload({ appId: 7, blobs, keys });
    expect(jobs.map((job) => [job.blobs.length, job.keys.length])).toEqual([
      [500, 0],
      [500, 0],
      [1, 0],
      [0, 500],
    ]);
    expect(jobs.every(({ appId }) => appId === 7)).toBe(true);
    expect(jobs.flatMap((job) => job.blobs)).toEqual(blobs);
    expect(jobs.flatMap((job) => job.keys)).toEqual(keys);
  });

  it('are none for nothing', () => {
    expect(splitTidyPayload({ appId: 7, blobs: [], keys: [] })).toEqual([]);
  });
});
