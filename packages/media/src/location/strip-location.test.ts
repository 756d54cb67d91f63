import fc from 'fast-check';
import { hasLocation, decodeText } from '../testing/file-parts.js';
import { collectBytes, streamInChunks, SAMPLE_FILES, streamOf, type SampleFile } from '../testing/index.js';
import { chunkSizes } from '../testing/arbitraries.js';
import { fileType } from '../content/file-type.js';
import { ALLOWED_MIMES } from '../files/types.js';
import { UnreadableFile } from './unreadable-file.js';
import { stripLocation } from './strip-location.js';

const stripSample = ({ mime, bytes }: SampleFile): Promise<Uint8Array> =>
  collectBytes(stripLocation(mime, streamOf(bytes)));

const stripIfReadable = (file: SampleFile): Promise<Uint8Array | undefined> =>
  stripSample(file).catch((error: unknown) => {
    if (error instanceof UnreadableFile) return undefined;
    throw error;
  });

describe.each(SAMPLE_FILES.map((file, index) => [index, file.mime, file] as const))(
  'sample %d, %s',
  (_, mime, file) => {
    it('loses its location', async () => {
      expect(hasLocation(file.bytes)).toBe(true);
      expect(hasLocation(await stripSample(file))).toBe(false);
    });

    it('keeps its type and is unchanged when stripped again', async () => {
      const strippedFile = await stripSample(file);
      expect([fileType(file.bytes, 'x'), fileType(strippedFile, 'x')]).toEqual([mime, mime]);
      expect(await stripSample({ mime, bytes: strippedFile })).toEqual(strippedFile);
    });

    it('has the same output for all chunk sizes', async () => {
      const expected = await stripSample(file);
      await fc.assert(
        fc.asyncProperty(chunkSizes, async (sizes) => {
          expect(decodeText(await collectBytes(stripLocation(mime, streamInChunks(file.bytes, sizes))))).toBe(
            decodeText(expected),
          );
        }),
        { numRuns: 40 },
      );
    });

    it('leaves its input unchanged', async () => {
      const before = file.bytes.slice();
      await stripSample(file);
      expect(file.bytes).toEqual(before);
    });

    it('loses its location even when truncated, at any byte', async () => {
      for (let size = 0; size < file.bytes.length; size += 1) {
        const strippedFile = await stripIfReadable({ mime, bytes: file.bytes.slice(0, size) });
        if (strippedFile && hasLocation(strippedFile)) throw new Error(`A location is left at ${size} bytes`);
      }
    });

    it('is stripped or rejected when damaged, in the same way for all chunk sizes', async () => {
      const damage = fc.array(
        fc.tuple(fc.nat(file.bytes.length - 1), fc.constantFrom(0, 1, 0x3b, 0x7f, 0x80, 0xd9, 0xff)),
        {
          minLength: 1,
          maxLength: 6,
        },
      );
      await fc.assert(
        fc.asyncProperty(damage, chunkSizes, async (changes, sizes) => {
          const damagedFile = file.bytes.slice();
          for (const [at, value] of changes) damagedFile[at] = value;
          const strippedFile = await stripIfReadable({ mime, bytes: damagedFile });
          const strippedInChunks = await collectBytes(stripLocation(mime, streamInChunks(damagedFile, sizes))).catch(
            () => undefined,
          );
          expect(strippedInChunks && decodeText(strippedInChunks)).toBe(strippedFile && decodeText(strippedFile));
        }),
        { numRuns: 300 },
      );
    });
  },
);

describe('random bytes', () => {
  const prefixes = SAMPLE_FILES.map(({ bytes }) => bytes.subarray(0, 24));

  it.each(ALLOWED_MIMES)('are stripped or rejected as %s', async (mime) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(new Uint8Array(0), ...prefixes),
        fc.uint8Array({ maxLength: 300 }),
        async (prefix, suffix) => {
          const bytes = Uint8Array.from([...prefix, ...suffix]);
          const strippedFile = await stripIfReadable({ mime, bytes });
          expect((strippedFile?.length ?? 0) - bytes.length).toBeLessThanOrEqual(64);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('stripLocation', () => {
  it.each(['application/pdf', 'text/csv', 'image/svg+xml', 'image/bmp', 'application/zip'])(
    'leaves %s unchanged',
    async (mime) => {
      const bytes = Uint8Array.of(1, 2, 3);
      expect(await stripSample({ mime, bytes })).toEqual(bytes);
    },
  );

  it.each(['text/html', '', 'constructor', 'image/heic'])('rejects the unknown type %j', async (mime) => {
    await expect(stripSample({ mime, bytes: Uint8Array.of(1) })).rejects.toBeInstanceOf(UnreadableFile);
  });

  it('reads its source to the end', async () => {
    let isReadToEnd = false;
    const [{ bytes } = { bytes: new Uint8Array(0) }] = SAMPLE_FILES;
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes;
      yield new Uint8Array(1_000);
      isReadToEnd = true;
    }
    await collectBytes(stripLocation('image/jpeg', source()));
    expect(isReadToEnd).toBe(true);
  });

  it('passes on a failure of the source', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(0xff, 0xd8, 0xff);
      throw new Error('The line was cut');
    }
    await expect(collectBytes(stripLocation('image/jpeg', source()))).rejects.toThrow('The line was cut');
  });

  it('closes the source when the reader stops', async () => {
    let isClosed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Uint8Array.of(0xff, 0xd8, 0xff, 0xda, 0, 2, 1);
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of stripLocation('image/jpeg', source())) break;
    expect(isClosed).toBe(true);
  });
});
