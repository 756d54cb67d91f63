import { bytes, gifBlocks, PLACE, text, type Part, u16le } from '../../testing/file-parts.js';
import { gifSample } from '../../testing/index.js';
import { gif } from './gif.js';
import { cut } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

const start = bytes('GIF89a', u16le(1), u16le(1), [0, 0, 0]);
const image = bytes(0x2c, [0, 0, 0, 0], u16le(1), u16le(1), 0, 2, gifBlocks('px'));
const left = (...parts: readonly Part[]): string => text(cut(bytes(start, ...parts), gif)).slice(13);

describe('of a GIF', () => {
  it('images, how they move and the profile stay, bit for bit', () => {
    const before = text(gifSample());
    const [comments, movement] = [before.indexOf('!\xffXMP') + 1, before.indexOf('!\xf9')];
    const upToXmp = before.slice(0, before.indexOf('!\xff\x0bXMP'));
    expect(comments).toBe(0);
    expect(text(cut(gifSample(), gif))).toBe(upToXmp + before.slice(movement, -PLACE.length));
  });

  it.each([
    ['how often it plays', bytes([0x21, 0xff, 11], 'ANIMEXTS1.0', gifBlocks([1, 0, 0]))],
    ['how long an image stays', bytes([0x21, 0xf9], gifBlocks([0, 9, 0, 0]))],
    ['letters that are drawn', bytes([0x21, 0x01], gifBlocks(new Uint8Array(12), 'letters'))],
  ])('%s stays', (_, extension) => {
    expect(left(extension, image, 0x3b)).toBe(`${text(extension)}${text(image)};`);
  });

  it.each([
    ['a comment', bytes([0x21, 0xfe], gifBlocks(PLACE.repeat(50)))],
    ['what an application put in', bytes([0x21, 0xff, 11], 'MAPSPLACE.0', gifBlocks(PLACE))],
    ['an extension that nobody knows', bytes([0x21, 0x42], gifBlocks(PLACE))],
    ['an application of another length', bytes([0x21, 0xff, 12], 'NETSCAPE2.00', gifBlocks(PLACE))],
  ])('%s goes', (_, extension) => {
    expect(left(extension, image, 0x3b)).toBe(`${text(image)};`);
  });

  it('the file ends where no block begins', () => {
    expect(left(image, 0, PLACE)).toBe(`${text(image)};`);
  });

  it('one that breaks off goes on as far as it comes', () => {
    expect(left(image.subarray(0, -2))).toBe(text(image.subarray(0, -2)));
  });
});

describe('what is no GIF', () => {
  it.each(['', 'GIF89a', 'GIF90a.......', 'gif89a.......'])('cannot be read: %j', (content) => {
    expect(() => cut(bytes(content), gif)).toThrow(UnreadableFile);
  });
});
