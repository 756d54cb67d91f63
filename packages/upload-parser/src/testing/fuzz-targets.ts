import { fileType, imageFacts, isUnreadableFile, stripLocation } from '@back-office/media';
import { collectBytes, COSTLY_FILES, SAMPLE_FILES, streamInChunks } from '@back-office/media/testing';
import { SaxesSvgSanitizer } from '../svg/index.js';
import sharp, { type Sharp } from 'sharp';

export interface FuzzTarget {
  readonly name: string;
  readonly seeds: readonly Uint8Array[];
  readonly check: (file: Uint8Array) => Promise<void>;
}

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff', 'image/bmp'];
const CHUNK_SIZES = [1_000, 7, 65_536];
const MAX_GROWTH_BYTES = 64;
/** Size of an EXIF that contains only the orientation, not counting zeros. */
const MAX_METADATA_BYTES = 24;
const SEED_BYTES = 2_000;
const FORBIDDEN_IN_DRAWINGS = /<script|<foreignobject|\son[a-z]+\s*=|(?:href|src)\s*=\s*"(?!#|data:image\/)/i;

const svgSanitizer = new SaxesSvgSanitizer();
const SVG_SEEDS = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g id="a"><path d="M0 0h9"/></g><use href="#a"/></svg>',
  '<?xml version="1.0"?><!DOCTYPE svg><s:svg xmlns:s="http://www.w3.org/2000/svg" width="2in" height="50%"><s:g/></s:svg>',
  '<svg xmlns="http://www.w3.org/2000/svg"><style>.a,g>b{fill:url(#a);stroke:rgb(1,2,3)}/* c */</style><text class="a b">x&amp;y<![CDATA[z]]></text></svg>',
  '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="data:image/gif;base64,R0lGODlhAQABAAAAACw="/><a href="javascript:1" onclick="x"><animate attributeName="r" values="0;1"/></a><script>1</script></svg>',
].map((text) => new Uint8Array(Buffer.from(text)));

async function outputOf(read: () => AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return await collectBytes(read());
  } catch (error) {
    if (isUnreadableFile(error)) return undefined;
    throw error;
  }
}

function assert(isTrue: boolean, promise: string): void {
  if (!isTrue) throw new Error(`Broken promise: ${promise}`);
}

const isEqual = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;

async function checkStripper(mime: string, file: Uint8Array): Promise<void> {
  const before = new Uint8Array(file);
  const strip = (bytes: Uint8Array, sizes: readonly number[]): Promise<Uint8Array | undefined> =>
    outputOf(() => stripLocation(mime, streamInChunks(bytes, sizes)));
  const output = await strip(file, [file.length + 1]);
  assert(isEqual(file, before), 'the input stays unchanged');
  assert(isEqual(await strip(file, CHUNK_SIZES), output), 'all chunk sizes have the same output');
  if (output === undefined) return;
  assert(output.length <= file.length + MAX_GROWTH_BYTES, 'the output is not larger');
  await strip(output, [output.length + 1]);
  if (output.length > 0 && mime.startsWith('image/')) await checkMetadata(output);
}

/**
 * Throws if the output has more metadata than an orientation. Reads the metadata with libvips, which shares no code
 * with the strippers.
 */
export async function checkMetadata(output: Uint8Array): Promise<void> {
  const metadata = await sharp(output)
    .metadata()
    .catch(() => undefined);
  for (const block of [metadata?.exif, metadata?.xmp, metadata?.iptc])
    assert((block ?? []).filter((byte) => byte !== 0).length <= MAX_METADATA_BYTES, 'the output has no metadata');
}

const seedsOf = (mime: string): Uint8Array[] => [
  ...SAMPLE_FILES.filter((sample) => sample.mime === mime).map(({ bytes }) => bytes),
  ...COSTLY_FILES.filter((file) => file.mime === mime).map(({ make }) => make().slice(0, SEED_BYTES)),
  ...(IMAGES_WITH_LOCATION[mime] ? [IMAGES_WITH_LOCATION[mime]] : []),
];

const withLocation = (): Sharp =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: '#36c' } })
    .withExif({
      IFD0: { ImageDescription: 'Knez Mihailova' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '44/1 48/1 45/1' },
    })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Knez Mihailova</x:xmpmeta>');

/** Real images with a location that libvips can read. */
export const IMAGES_WITH_LOCATION: Readonly<Record<string, Uint8Array>> = {
  'image/jpeg': await withLocation().jpeg().toBuffer(),
  'image/png': await withLocation().png().toBuffer(),
  'image/webp': await withLocation().webp().toBuffer(),
  'image/avif': await withLocation().avif({ effort: 0 }).toBuffer(),
  'image/tiff': await withLocation().tiff({ compression: 'lzw' }).toBuffer(),
};

const STRIPPED_TYPES = [...new Set(SAMPLE_FILES.map(({ mime }) => mime))];

/** Targets for all parsers. Their seeds are real files that the parsers accept. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'types',
    seeds: [...SAMPLE_FILES.map(({ bytes }) => bytes.subarray(0, SEED_BYTES)), ...SVG_SEEDS],
    check: async (file) => {
      fileType(file, 'file.csv');
      for (const mime of IMAGE_TYPES) imageFacts(mime, file);
      svgSanitizer.size(file);
    },
  },
  ...STRIPPED_TYPES.map((mime): FuzzTarget => ({
    name: mime.replace('/', '-'),
    seeds: seedsOf(mime),
    check: (file) => checkStripper(mime, file),
  })),
  {
    name: 'svg',
    seeds: SVG_SEEDS,
    check: async (file) => {
      const sanitize = (bytes: Uint8Array): Promise<Uint8Array | undefined> =>
        outputOf(() => svgSanitizer.sanitize(streamInChunks(bytes, CHUNK_SIZES)));
      const output = await sanitize(file);
      if (output === undefined) return;
      assert(!FORBIDDEN_IN_DRAWINGS.test(Buffer.from(output).toString()), 'a drawing runs and loads nothing');
      assert(isEqual(await sanitize(output), output), 'a sanitized drawing is unchanged when sanitized again');
    },
  },
];
