import fc from 'fast-check';
import type { FolderPath } from '../folders/folders.js';
import {
  fileKey,
  keyCandidate,
  keyOfUrl,
  ownerKey,
  pageKey,
  splitExtension,
  publicUrl,
  renditionKey,
  toUrlSafe,
  versionKey,
} from './keys.js';

const ascii = (text: string): string => text.normalize('NFD').replaceAll(/[^\u0020-\u007e]/g, '');

describe('toUrlSafe', () => {
  it.each([
    ['Photo.JPG', 'photo.jpg'],
    ['Čizma "Zima" 100%.png', 'cizma-zima-100.png'],
    ['a@320.jpg', 'a-320.jpg'],
    ['../../etc/passwd', 'etc-passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['.htaccess', 'htaccess'],
    ['a..b...c.txt', 'a.b.c.txt'],
    ['a -.- b.txt', 'a.b.txt'],
    ['a.-.jpg', 'a.jpg'],
    ['photo. .jpg', 'photo.jpg'],
    [`${'a'.repeat(195)}.${'b'.repeat(50)}.jpg`, `${'a'.repeat(195)}.jpg`],
    [`x.${'y'.repeat(250)}`, `x.${'y'.repeat(198)}`],
    ['-_-.gif', '_.gif'],
    ['', 'file'],
    ['...', 'file'],
    ['靴.webp', 'webp'],
    ['no extension', 'no-extension'],
    [`${'x'.repeat(300)}.jpeg`, `${'x'.repeat(195)}.jpeg`],
  ])('turns %j into %j', (name, expected) => {
    expect(toUrlSafe(name, ascii)).toBe(expected);
  });

  it('returns no reserved characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (name) => {
        expect(toUrlSafe(name, ascii)).toMatch(/^[a-z0-9_][a-z0-9._-]*$/);
        expect(toUrlSafe(name, ascii)).not.toContain('..');
      }),
      { numRuns: 3_000 },
    );
  });

  it('leaves room for suffixes within the limit of file systems', () => {
    const trickyNames = fc.string({ unit: fc.constantFrom('a', '.', '-', ' ', '@', '靴', 'Č'), maxLength: 260 });
    fc.assert(
      fc.property(trickyNames, (name) => {
        const safeName = toUrlSafe(name, (text) => text.replaceAll('靴', 'long-boots').normalize('NFD'));
        expect(safeName).toMatch(/^[a-z0-9_][a-z0-9._-]*$/);
        expect([safeName.includes('..'), safeName.length <= 200]).toEqual([false, true]);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('fileKey', () => {
  it('joins prefix, folder and name', () => {
    expect(fileKey('ab12cd34', 'Obuća/Zima 2026' as FolderPath, 'Čizma.JPG', ascii)).toBe(
      'ab12cd34/obuca/zima-2026/cizma.jpg',
    );
    expect(fileKey('ab12cd34', '' as FolderPath, 'a.pdf', ascii)).toBe('ab12cd34/a.pdf');
  });

  it('is followed by candidate keys with a number before the extension', () => {
    expect([1, 2, 3].map((attempt) => keyCandidate('p/a.b/photo.jpg', attempt))).toEqual([
      'p/a.b/photo.jpg',
      'p/a.b/photo-2.jpg',
      'p/a.b/photo-3.jpg',
    ]);
    expect(keyCandidate('p/a.b/readme', 2)).toBe('p/a.b/readme-2');
  });
});

describe('renditionKey', () => {
  it('adds the width before the extension', () => {
    expect(renditionKey('p/x/photo.jpg', 320)).toBe('p/x/photo@320.jpg');
    expect(renditionKey('p/x.y/photo', 320)).toBe('p/x.y/photo@320');
  });

  it('returns a key whose owner is the file, as the keys of versions and pages do', () => {
    for (const key of ['p/x/photo.jpg', 'p/x.y/photo', 'p/a-2.webp']) {
      expect(ownerKey(renditionKey(key, 1280))).toBe(key);
      expect(ownerKey(versionKey(key, 12, '0a1b2c'))).toBe(key);
      expect(ownerKey(versionKey(key, 12, '0a1b2c').replace('-0a1b2c', ''))).toBe(key);
      expect(ownerKey(pageKey(key, 3, 'webp'))).toBe(key);
      expect(ownerKey(key)).toBe(key);
    }
  });
});

describe('splitExtension', () => {
  it.each([
    ['a.jpg', 'a', '.jpg'],
    ['a.tar.gz', 'a.tar', '.gz'],
    ['a', 'a', ''],
    ['x.y/a', 'x.y/a', ''],
    ['x/.hidden', 'x/.hidden', ''],
    ['a.', 'a', '.'],
  ])('splits %j', (name, stem, extension) => {
    expect(splitExtension(name)).toEqual([stem, extension]);
  });
});

describe('keyOfUrl', () => {
  const base = 'https://cdn.example.com/media';

  it.each([
    [`${base}/p/a.jpg`, 'p/a.jpg'],
    [`${base}/p/a.jpg?v=3`, 'p/a.jpg'],
    [`${base}/p/a.jpg#top`, 'p/a.jpg'],
    [`${base}/p/a%20b.jpg`, 'p/a b.jpg'],
    [`${base}/p/a@320.jpg?v=2`, 'p/a@320.jpg'],
  ])('maps %s to %s', (url, key) => {
    expect(keyOfUrl(url, base)).toBe(key);
  });

  it.each([
    '',
    base,
    `${base}/`,
    `${base}x/p/a.jpg`,
    'https://other.example.com/media/p/a.jpg',
    `${base}/%zz`,
    '/media/p/a.jpg',
  ])('returns undefined for %j', (url) => {
    expect(keyOfUrl(url, base)).toBeUndefined();
  });

  it('is the inverse of publicUrl', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z0-9_][a-z0-9._@-]{0,12}$/), { minLength: 1 }),
        fc.integer({ min: 1, max: 9 }),
        (parts, version) => {
          const key = parts.map((part) => part.replaceAll('/', '_')).join('/');
          expect(keyOfUrl(publicUrl(base, key, version), base)).toBe(key);
        },
      ),
    );
  });

  it('reads URLs of publicUrl, which have no `?v=` for version 1', () => {
    expect([1, 2].map((version) => publicUrl(base, 'p/a.jpg', version))).toEqual([
      `${base}/p/a.jpg`,
      `${base}/p/a.jpg?v=2`,
    ]);
  });
});
