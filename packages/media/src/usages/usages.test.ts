import fc from 'fast-check';
import { pageKey, publicUrl, renditionKey, versionKey } from '../files/keys.js';
import { fileKeyOfUrl } from './usages.js';

const base = 'https://cdn.example.com/media';
const prefix = 'ab12cd34';
const fileKeyOf = (url: string): string | undefined => fileKeyOfUrl(url, base, prefix);

describe('fileKeyOfUrl', () => {
  it.each([
    [`${base}/ab12cd34/shoes/a.jpg`, 'the file'],
    [`${base}/ab12cd34/shoes/a.jpg?v=3`, 'a later version'],
    [`${base}/ab12cd34/shoes/a.jpg#top`, 'a fragment'],
    [`${base}/ab12cd34/shoes/a@320.jpg`, 'a rendition'],
    [`${base}/ab12cd34/shoes/a@320.jpg?v=3`, 'a rendition of a later version'],
    [`${base}/ab12cd34/shoes/a@v2.jpg`, 'a kept version'],
    [`${base}/ab12cd34/shoes/a.jpg@p7.webp`, 'a page'],
    [`${base}/ab12cd34/sh%6Fes/a%2Ejpg`, 'escaped characters'],
  ])('finds the file of %s: %s', (url) => {
    expect(fileKeyOf(url)).toBe('ab12cd34/shoes/a.jpg');
  });

  it('finds the file of every public URL', () => {
    const name = fc.stringMatching(/^[a-z0-9_][a-z0-9_-]{0,9}(\.[a-z0-9]{1,4})?$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 30 }), (names, number) => {
        const key = [prefix, ...names].join('/');
        const keys = [key, renditionKey(key, number), versionKey(key, number, 'f00d'), pageKey(key, number, 'webp')];
        expect(keys.map((publicKey) => fileKeyOf(publicUrl(base, publicKey, number)))).toEqual(keys.map(() => key));
      }),
    );
  });

  it('returns the keys of unknown files', () => {
    expect(fileKeyOf(`${base}/ab12cd34/My photo%20(1).JPG`)).toBe('ab12cd34/My photo (1).JPG');
    expect(fileKeyOf(`${base}/ab12cd34/Čizma.jpg`)).toBe('ab12cd34/Čizma.jpg');
  });
});

describe('fileKeyOfUrl of other URLs', () => {
  it.each([
    ['another host', 'https://shop.example.com/a.jpg'],
    ['another base', `${base}-2/ab12cd34/a.jpg`],
    ['another app', `${base}/zz99zz99/a.jpg`],
    ['a longer prefix', `${base}/ab12cd34x/a.jpg`],
    ['the base', base],
    ['the prefix', `${base}/ab12cd34`],
    ['the prefix as a folder', `${base}/ab12cd34/`],
    ['a folder', `${base}/ab12cd34/shoes/`],
    ['dot segments to another app', `${base}/ab12cd34/../zz99zz99/a.jpg`],
    ['escaped dot segments', `${base}/ab12cd34/%2e%2e/a.jpg`],
    ['a single-dot segment', `${base}/ab12cd34/./a.jpg`],
    ['NUL', `${base}/ab12cd34/a%00.jpg`],
    ['an unpaired surrogate', `${base}/ab12cd34/\ud800.jpg`],
    ['an invalid escape', `${base}/ab12cd34/%E0%A4%A`],
    ['a path without host', '/media/ab12cd34/a.jpg'],
    ['an empty text', ''],
  ])('returns undefined for %s', (_, url) => {
    expect(fileKeyOf(url)).toBeUndefined();
  });

  it('returns undefined for a key above the limit in bytes', () => {
    expect(fileKeyOf(`${base}/ab12cd34/${'é'.repeat(1_019)}`)).toBe(`ab12cd34/${'é'.repeat(1_019)}`);
    expect(fileKeyOf(`${base}/ab12cd34/${'é'.repeat(1_020)}`)).toBeUndefined();
    expect(fileKeyOf(`${base}/ab12cd34/${'靴'.repeat(1_900)}`)).toBeUndefined();
  });
});
