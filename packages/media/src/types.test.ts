import { ALLOWED_MIMES, FILE_KINDS, isProcessed, kindOf, mayHoldScripts } from './types.js';

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

  it('that is looked into in the background is an image, a film or a document of pages', () => {
    expect(ALLOWED_MIMES.filter((mime) => !isProcessed(mime))).toEqual(
      ALLOWED_MIMES.filter((mime) => /^(audio|text)\/|svg|officedocument|zip/.test(mime)),
    );
  });

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
