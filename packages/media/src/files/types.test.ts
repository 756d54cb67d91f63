import { ALLOWED_MIMES, FILE_KINDS, isProcessed, kindOf, canRunScripts } from './types.js';

describe('a file type', () => {
  it('has a kind when the library accepts it', () => {
    expect(ALLOWED_MIMES).toHaveLength(22);
    expect(new Set(ALLOWED_MIMES.map(kindOf))).toEqual(new Set(FILE_KINDS));
  });

  it.each(['text/html', 'application/x-msdownload', 'application/xml', '', 'constructor', 'image/JPEG'])(
    'has no kind when the library does not accept it: %j',
    (mime) => {
      expect(kindOf(mime)).toBeUndefined();
    },
  );

  it('needs processing when it is an image, a video or PDF', () => {
    expect(ALLOWED_MIMES.filter((mime) => !isProcessed(mime))).toEqual(
      ALLOWED_MIMES.filter((mime) => /^(audio|text)\/|svg|officedocument|zip/.test(mime)),
    );
  });

  it('reports whether it can contain scripts', () => {
    expect(['image/svg+xml', 'application/pdf', 'text/plain', 'text/html'].map(canRunScripts)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['image/png', 'video/mp4', 'audio/ogg'].map(canRunScripts)).toEqual([false, false, false]);
  });
});
