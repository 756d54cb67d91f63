import fc from 'fast-check';
import { pageKey, publicUrl, renditionKey, versionKey } from './keys.js';
import { usedKey } from './usages.js';

const base = 'https://cdn.example.com/media';
const prefix = 'ab12cd34';
const used = (url: string): string | undefined => usedKey(url, base, prefix);

describe('a stored URL uses', () => {
  it.each([
    [`${base}/ab12cd34/shoes/a.jpg`, 'a file'],
    [`${base}/ab12cd34/shoes/a.jpg?v=3`, 'a later version of it'],
    [`${base}/ab12cd34/shoes/a.jpg#top`, 'a place in it'],
    [`${base}/ab12cd34/shoes/a@320.jpg`, 'a rendition of it'],
    [`${base}/ab12cd34/shoes/a@320.jpg?v=3`, 'a rendition of a later version'],
    [`${base}/ab12cd34/shoes/a@v2.jpg`, 'a kept version of it'],
    [`${base}/ab12cd34/shoes/a.jpg@p7.webp`, 'a page of it'],
    [`${base}/ab12cd34/sh%6Fes/a%2Ejpg`, 'a file, whatever of its name is escaped'],
  ])('%s: %s', (url) => {
    expect(used(url)).toBe('ab12cd34/shoes/a.jpg');
  });

  it('the file of every public address that the library gives', () => {
    const name = fc.stringMatching(/^[a-z0-9_][a-z0-9_-]{0,9}(\.[a-z0-9]{1,4})?$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 30 }), (names, number) => {
        const key = [prefix, ...names].join('/');
        const keys = [key, renditionKey(key, number), versionKey(key, number), pageKey(key, number, 'webp')];
        expect(keys.map((each) => used(publicUrl(base, each, number)))).toEqual(keys.map(() => key));
      }),
    );
  });

  it('a file that the library never had, too', () => {
    expect(used(`${base}/ab12cd34/My photo%20(1).JPG`)).toBe('ab12cd34/My photo (1).JPG');
    expect(used(`${base}/ab12cd34/Čizma.jpg`)).toBe('ab12cd34/Čizma.jpg');
  });
});

describe('a stored URL uses nothing of the app when it', () => {
  it.each([
    ['is another address', 'https://shop.example.com/a.jpg'],
    ['is another base', `${base}-2/ab12cd34/a.jpg`],
    ['is of another app', `${base}/zz99zz99/a.jpg`],
    ['has a prefix that only begins like the app’s', `${base}/ab12cd34x/a.jpg`],
    ['is the base', base],
    ['is the app’s place', `${base}/ab12cd34`],
    ['is the app’s place as a folder', `${base}/ab12cd34/`],
    ['is a folder', `${base}/ab12cd34/shoes/`],
    ['leads to another app by dots', `${base}/ab12cd34/../zz99zz99/a.jpg`],
    ['leads back by escaped dots', `${base}/ab12cd34/%2e%2e/a.jpg`],
    ['has a dot for a folder', `${base}/ab12cd34/./a.jpg`],
    ['holds a NUL', `${base}/ab12cd34/a%00.jpg`],
    ['holds half of a surrogate pair', `${base}/ab12cd34/\ud800.jpg`],
    ['cannot be decoded', `${base}/ab12cd34/%E0%A4%A`],
    ['is a path alone', '/media/ab12cd34/a.jpg'],
    ['is nothing', ''],
  ])('%s', (_, url) => {
    expect(used(url)).toBeUndefined();
  });

  it('is longer than any key, however few characters it has', () => {
    expect(used(`${base}/ab12cd34/${'é'.repeat(1_019)}`)).toBe(`ab12cd34/${'é'.repeat(1_019)}`);
    expect(used(`${base}/ab12cd34/${'é'.repeat(1_020)}`)).toBeUndefined();
    expect(used(`${base}/ab12cd34/${'靴'.repeat(1_900)}`)).toBeUndefined();
  });
});
