import { splitTidyPayload } from './job-rules.js';

describe('splitTidyPayload', () => {
  const makeKeys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`);

  it('returns jobs of at most 500 blobs or keys', () => {
    const [blobs, keys] = [makeKeys(1_001), makeKeys(500)];
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

  it('returns no job for an empty payload', () => {
    expect(splitTidyPayload({ appId: 7, blobs: [], keys: [] })).toEqual([]);
  });
});
