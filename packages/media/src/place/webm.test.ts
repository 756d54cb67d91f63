import { bytes, element, PLACE, text } from '../../testing/file-parts.js';
import { webmHeader, webmSample } from '../../testing/index.js';
import { cut } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';
import { webm } from './webm.js';

const SEGMENT = [0x18, 0x53, 0x80, 0x67];
const TAGS = [0x12, 0x54, 0xc3, 0x67];
const CLUSTER = [0x1f, 0x43, 0xb6, 0x75];
const cluster = element(CLUSTER, element([0xe7], 0), element([0xa3], 'block'));

describe('of a WebM', () => {
  it('every byte stays in its place, and its blocks and tracks', () => {
    const [before, after] = [webmSample(), cut(webmSample(), webm)];
    expect(after.length).toBe(before.length);
    expect(text(after).match(/block/g)).toHaveLength(2);
    for (const kept of ['muxer', 'tracks', 'block']) expect(text(after).indexOf(kept)).toBe(text(before).indexOf(kept));
  });

  it.each([
    ['a size of one byte', element(TAGS, PLACE), [0xec, 0x10, 0, 0, PLACE.length]],
    [
      'a size of eight bytes',
      bytes(TAGS, [1, 0, 0, 0, 0, 0, 0, PLACE.length], PLACE),
      [0xec, 1, 0, 0, 0, 0, 0, 0, PLACE.length + 3, 0, 0, 0],
    ],
    ['a size of five bytes', bytes(TAGS, [8, 0, 0, 0, PLACE.length], PLACE), [0xec, 1, 0, 0, 0, 0, 0, 0, PLACE.length]],
  ])('tags with %s become a void of the same size', (_, tags, head) => {
    const left = cut(bytes(webmHeader(), element(SEGMENT, tags, cluster)), webm);
    expect(text(left)).toBe(text(bytes(webmHeader(), element(SEGMENT, head, new Uint8Array(PLACE.length), cluster))));
  });

  it('what stands after its end goes', () => {
    const film = bytes(webmHeader(), element(SEGMENT, cluster));
    expect(text(cut(bytes(film, PLACE), webm))).toBe(text(film));
  });
});

describe('what is no WebM', () => {
  it.each([
    ['another beginning', bytes('RIFF............')],
    ['no header', bytes(element(SEGMENT, cluster), '............')],
    ['a second header', bytes(webmHeader(), webmHeader())],
    ['no element', bytes(webmHeader(), SEGMENT, 0xff, 0, '............')],
    ['tags without an end', bytes(webmHeader(), SEGMENT, 0xff, TAGS, 0xff, '............')],
  ])('cannot be read: %s', (_, content) => {
    expect(() => cut(content, webm)).toThrow(UnreadableFile);
  });
});
