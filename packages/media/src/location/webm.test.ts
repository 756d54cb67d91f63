import { bytes, element, LOCATION, decodeText } from '../testing/file-parts.js';
import { webmHeader, webmSample } from '../testing/index.js';
import { stripBytes } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';
import { stripWebm } from './webm.js';

const SEGMENT = [0x18, 0x53, 0x80, 0x67];
const TAGS = [0x12, 0x54, 0xc3, 0x67];
const CLUSTER = [0x1f, 0x43, 0xb6, 0x75];
const cluster = element(CLUSTER, element([0xe7], 0), element([0xa3], 'block'));

describe('stripWebm', () => {
  it('keeps the length, blocks and tracks', () => {
    const [before, after] = [webmSample(), stripBytes(webmSample(), stripWebm)];
    expect(after.length).toBe(before.length);
    expect(decodeText(after).match(/block/g)).toHaveLength(2);
    for (const keptText of ['muxer', 'tracks', 'block'])
      expect(decodeText(after).indexOf(keptText)).toBe(decodeText(before).indexOf(keptText));
  });

  it.each([
    ['a size of one byte', element(TAGS, LOCATION), [0xec, 0x10, 0, 0, LOCATION.length]],
    [
      'a size of eight bytes',
      bytes(TAGS, [1, 0, 0, 0, 0, 0, 0, LOCATION.length], LOCATION),
      [0xec, 1, 0, 0, 0, 0, 0, 0, LOCATION.length + 3, 0, 0, 0],
    ],
    [
      'a size of five bytes',
      bytes(TAGS, [8, 0, 0, 0, LOCATION.length], LOCATION),
      [0xec, 1, 0, 0, 0, 0, 0, 0, LOCATION.length],
    ],
  ])('voids tags with %s', (_, tags, head) => {
    const strippedFile = stripBytes(bytes(webmHeader(), element(SEGMENT, tags, cluster)), stripWebm);
    expect(decodeText(strippedFile)).toBe(
      decodeText(bytes(webmHeader(), element(SEGMENT, head, new Uint8Array(LOCATION.length), cluster))),
    );
  });

  it('drops everything after the end', () => {
    const video = bytes(webmHeader(), element(SEGMENT, cluster));
    expect(decodeText(stripBytes(bytes(video, LOCATION), stripWebm))).toBe(decodeText(video));
  });

  it.each([
    ['another signature', bytes('RIFF............')],
    ['no header', bytes(element(SEGMENT, cluster), '............')],
    ['a second header', bytes(webmHeader(), webmHeader())],
    ['an invalid element', bytes(webmHeader(), SEGMENT, 0xff, 0, '............')],
    ['tags of unknown size', bytes(webmHeader(), SEGMENT, 0xff, TAGS, 0xff, '............')],
  ])('rejects %s', (_, content) => {
    expect(() => stripBytes(content, stripWebm)).toThrow(UnreadableFile);
  });
});
