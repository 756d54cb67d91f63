import { releaseBytes } from './release-bytes.js';

test('released bytes are gone', () => {
  const bytes = new Uint8Array(100_000);
  releaseBytes(bytes);
  expect(bytes.byteLength).toBe(0);
});

test('bytes that are part of a larger buffer stay', () => {
  const bytes = new Uint8Array(100_000);
  releaseBytes(bytes.subarray(1));
  expect(bytes.byteLength).toBe(100_000);
});

test('empty bytes can be released', () => {
  expect(() => releaseBytes(new Uint8Array(0))).not.toThrow();
});
