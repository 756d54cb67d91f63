import { bytes, gifBlocks, LOCATION, decodeText, type Part, u16le } from '../testing/file-parts.js';
import { gifSample } from '../testing/index.js';
import { stripGif } from './gif.js';
import { stripBytes } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';

const start = bytes('GIF89a', u16le(1), u16le(1), [0, 0, 0]);
const image = bytes(0x2c, [0, 0, 0, 0], u16le(1), u16le(1), 0, 2, gifBlocks('px'));
const stripParts = (...parts: readonly Part[]): string =>
  decodeText(stripBytes(bytes(start, ...parts), stripGif)).slice(13);

describe('stripGif', () => {
  it('keeps images, animation and the profile bit for bit', () => {
    const before = decodeText(gifSample());
    const [xmpMarker, animationStart] = [before.indexOf('!\xffXMP') + 1, before.indexOf('!\xf9')];
    const upToXmp = before.slice(0, before.indexOf('!\xff\x0bXMP'));
    expect(xmpMarker).toBe(0);
    expect(decodeText(stripBytes(gifSample(), stripGif))).toBe(
      upToXmp + before.slice(animationStart, -LOCATION.length),
    );
  });

  it.each([
    ['the loop count', bytes([0x21, 0xff, 11], 'ANIMEXTS1.0', gifBlocks([1, 0, 0]))],
    ['the frame delay', bytes([0x21, 0xf9], gifBlocks([0, 9, 0, 0]))],
    ['plain text', bytes([0x21, 0x01], gifBlocks(new Uint8Array(12), 'letters'))],
  ])('keeps %s', (_, extension) => {
    expect(stripParts(extension, image, 0x3b)).toBe(`${decodeText(extension)}${decodeText(image)};`);
  });

  it.each([
    ['a comment', bytes([0x21, 0xfe], gifBlocks(LOCATION.repeat(50)))],
    ['application data', bytes([0x21, 0xff, 11], 'MAPSPLACE.0', gifBlocks(LOCATION))],
    ['an unknown extension', bytes([0x21, 0x42], gifBlocks(LOCATION))],
    ['an application of another length', bytes([0x21, 0xff, 12], 'NETSCAPE2.00', gifBlocks(LOCATION))],
  ])('drops %s', (_, extension) => {
    expect(stripParts(extension, image, 0x3b)).toBe(`${decodeText(image)};`);
  });

  it('ends the file at an invalid block', () => {
    expect(stripParts(image, 0, LOCATION)).toBe(`${decodeText(image)};`);
  });

  it('keeps a truncated file', () => {
    expect(stripParts(image.subarray(0, -2))).toBe(decodeText(image.subarray(0, -2)));
  });

  it.each(['', 'GIF89a', 'GIF90a.......', 'gif89a.......'])('rejects %j', (content) => {
    expect(() => stripBytes(bytes(content), stripGif)).toThrow(UnreadableFile);
  });
});
