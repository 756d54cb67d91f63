import fc from 'fast-check';
import { tellsPlace, text } from '../../testing/file-parts.js';
import { collected, inPieces, pieceSizes, SAMPLE_FILES, streamed, type SampleFile } from '../../testing/index.js';
import { fileType } from '../content/file-type.js';
import { ALLOWED_MIMES } from '../types.js';
import { UnreadableFile } from './unreadable-file.js';
import { withoutPlace } from './without-place.js';

const clean = ({ mime, bytes }: SampleFile): Promise<Uint8Array> => collected(withoutPlace(mime, streamed(bytes)));

/** `undefined` when it cannot be read; anything else that is thrown fails the test. */
const cleanIfReadable = (file: SampleFile): Promise<Uint8Array | undefined> =>
  clean(file).catch((error: unknown) => {
    if (error instanceof UnreadableFile) return undefined;
    throw error;
  });

describe.each(SAMPLE_FILES.map((file, index) => [index, file.mime, file] as const))(
  'sample %d, %s',
  (_, mime, file) => {
    it('tells its place before, and not after', async () => {
      expect(tellsPlace(file.bytes)).toBe(true);
      expect(tellsPlace(await clean(file))).toBe(false);
    });

    it('keeps its type, and is not changed a second time', async () => {
      const once = await clean(file);
      expect([fileType(file.bytes, 'x'), fileType(once, 'x')]).toEqual([mime, mime]);
      expect(await clean({ mime, bytes: once })).toEqual(once);
    });

    it('is the same however it comes', async () => {
      const expected = await clean(file);
      await fc.assert(
        fc.asyncProperty(pieceSizes, async (sizes) => {
          expect(text(await collected(withoutPlace(mime, inPieces(file.bytes, sizes))))).toBe(text(expected));
        }),
        { numRuns: 40 },
      );
    });

    it('leaves what came in as it was', async () => {
      const before = file.bytes.slice();
      await clean(file);
      expect(file.bytes).toEqual(before);
    });

    it('tells no place wherever it breaks off', async () => {
      for (let size = 0; size < file.bytes.length; size += 1) {
        const left = await cleanIfReadable({ mime, bytes: file.bytes.slice(0, size) });
        if (left && tellsPlace(left)) throw new Error(`It does at ${size}`);
      }
    });

    it('when it is damaged it goes on or cannot be read', async () => {
      const damage = fc.array(
        fc.tuple(fc.nat(file.bytes.length - 1), fc.constantFrom(0, 1, 0x3b, 0x7f, 0x80, 0xd9, 0xff)),
        {
          minLength: 1,
          maxLength: 6,
        },
      );
      await fc.assert(
        fc.asyncProperty(damage, pieceSizes, async (changes, sizes) => {
          const damaged = file.bytes.slice();
          for (const [at, value] of changes) damaged[at] = value;
          const left = await cleanIfReadable({ mime, bytes: damaged });
          const inParts = await collected(withoutPlace(mime, inPieces(damaged, sizes))).catch(() => undefined);
          expect(inParts && text(inParts)).toBe(left && text(left));
        }),
        { numRuns: 300 },
      );
    });
  },
);

describe('any bytes', () => {
  const beginnings = SAMPLE_FILES.map(({ bytes }) => bytes.subarray(0, 24));

  it.each(ALLOWED_MIMES)('of %s go on or cannot be read', async (mime) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(new Uint8Array(0), ...beginnings),
        fc.uint8Array({ maxLength: 300 }),
        async (start, rest) => {
          const bytes = Uint8Array.from([...start, ...rest]);
          const left = await cleanIfReadable({ mime, bytes });
          expect((left?.length ?? 0) - bytes.length).toBeLessThanOrEqual(64);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a type', () => {
  it.each(['application/pdf', 'text/csv', 'image/svg+xml', 'image/bmp', 'application/zip'])(
    'that goes on unchanged: %s',
    async (mime) => {
      const bytes = Uint8Array.of(1, 2, 3);
      expect(await clean({ mime, bytes })).toEqual(bytes);
    },
  );

  it.each(['text/html', '', 'constructor', 'image/heic'])('that is not known cannot be read: %j', async (mime) => {
    await expect(clean({ mime, bytes: Uint8Array.of(1) })).rejects.toBeInstanceOf(UnreadableFile);
  });
});

describe('the source of a file', () => {
  it('is read to its end when there is more than the image', async () => {
    let isReadToEnd = false;
    const [{ bytes } = { bytes: new Uint8Array(0) }] = SAMPLE_FILES;
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes;
      yield new Uint8Array(1_000);
      isReadToEnd = true;
    }
    await collected(withoutPlace('image/jpeg', source()));
    expect(isReadToEnd).toBe(true);
  });

  it('that fails fails what reads it', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(0xff, 0xd8, 0xff);
      throw new Error('The line was cut');
    }
    await expect(collected(withoutPlace('image/jpeg', source()))).rejects.toThrow('The line was cut');
  });

  it('is closed when nobody wants the rest', async () => {
    let isClosed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Uint8Array.of(0xff, 0xd8, 0xff, 0xda, 0, 2, 1);
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of withoutPlace('image/jpeg', source())) break;
    expect(isClosed).toBe(true);
  });
});
