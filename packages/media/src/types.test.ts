import { ALLOWED_MIMES, FILE_KINDS, kindOf, mayHoldScripts } from './types.js';

describe('a type', () => {
  it('that is allowed has a kind', () => {
    expect(ALLOWED_MIMES).toHaveLength(22);
    expect(new Set(ALLOWED_MIMES.map(kindOf))).toEqual(new Set(FILE_KINDS));
  });

  it.each(['text/html', 'application/x-msdownload', 'application/xml', '', 'constructor', 'image/JPEG'])(
    'that is not allowed has none: %j',
    (mime) => {
      expect(kindOf(mime)).toBeUndefined();
    },
  );

  it('that a browser could run is known', () => {
    expect(['image/svg+xml', 'application/pdf', 'text/plain', 'text/html'].map(mayHoldScripts)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['image/png', 'video/mp4', 'audio/ogg'].map(mayHoldScripts)).toEqual([false, false, false]);
  });
});
