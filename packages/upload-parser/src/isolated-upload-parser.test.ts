import { UNSUPPORTED_TYPE, IMAGE_TOO_LARGE, type ParsedUpload } from '@back-office/media';
import { COSTLY_FILES, jpegSample, parts, SAMPLE_FILES } from '@back-office/media/testing';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsolatedUploadParser, type IsolatedParserOptions } from './isolated-upload-parser.js';

const [APP, OTHER_APP] = [1, 2];
const MAX_MAIN_CPU_MS = 50;
/** Only Linux reports the CPU time of a thread. */
const itOnLinux = process.platform === 'linux' ? it : it.skip;

let folder: string;
const sharedParser = new IsolatedUploadParser();
const parsers: IsolatedUploadParser[] = [];
afterAll(() => sharedParser.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'back-office-parser-'));
});
afterEach(async () => {
  await Promise.all(parsers.splice(0).map((parser) => parser.close()));
  await rm(folder, { recursive: true, force: true });
});

const openParser = (options: IsolatedParserOptions = {}): IsolatedUploadParser => {
  const parser = new IsolatedUploadParser(options);
  parsers.push(parser);
  return parser;
};

async function parse(
  parser: IsolatedUploadParser,
  content: Uint8Array | string,
  { appId = APP, pixelLimit = 1e8 } = {},
) {
  const bytes = Buffer.from(content);
  const path = join(folder, createHash('sha256').update(bytes).digest('hex'));
  await writeFile(path, bytes);
  return parser.parse(appId, { path, name: 'file', size: bytes.length, pixelLimit });
}

const drawing = (content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20">${content}</svg>`;
/** A drawing that takes a few hundred milliseconds to parse. */
const slowDrawing = (): string => drawing('<path d="M0 0" fill="url(#a)"/>'.repeat(60_000));

const itParsesTheNextUpload = async (parser: IsolatedUploadParser): Promise<void> => {
  expect(await parse(parser, jpegSample())).toMatchObject({ mime: 'image/jpeg', kind: 'image' });
};

describe('IsolatedUploadParser', () => {
  it.each(SAMPLE_FILES)('strips the location of $mime', async ({ mime, bytes: file }) => {
    const { stripped, ...facts } = (await parse(sharedParser, file)) as ParsedUpload;
    expect(facts).toMatchObject({ mime });
    const content = await readFile(stripped?.path ?? '');
    expect(parts.hasLocation(content)).toBe(false);
    expect(stripped?.bytes).toBe(content.length);
    expect(Buffer.from(stripped?.checksum ?? [])).toEqual(createHash('sha256').update(content).digest());
  });

  it('sanitizes a drawing and reads its size', async () => {
    const upload = await parse(sharedParser, drawing('<script>alert(1)</script><g/>'));
    expect(upload).toMatchObject({ mime: 'image/svg+xml', kind: 'vector', size: { width: 30, height: 20 } });
    expect(await readFile((upload as ParsedUpload).stripped?.path ?? '', 'utf8')).not.toContain('script');
  });

  it('publishes a document unchanged', async () => {
    expect(await parse(sharedParser, 'some text')).toEqual({
      mime: 'text/plain',
      kind: 'doc',
      size: undefined,
      stripped: undefined,
    });
  });

  it('refuses an unknown type and an image with too many pixels', async () => {
    const parser = sharedParser;
    expect(await parse(parser, new Uint8Array(100))).toEqual(UNSUPPORTED_TYPE);
    expect(await parse(parser, jpegSample(), { pixelLimit: 1 })).toEqual(IMAGE_TOO_LARGE);
  });

  it('refuses an upload that becomes unreadable in the middle, and leaves no temporary file', async () => {
    expect(await parse(sharedParser, drawing(`${'<g/>'.repeat(100_000)}<path`))).toEqual(UNSUPPORTED_TYPE);
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('fails for a file that cannot be read, and parses the next upload', async () => {
    const parser = openParser();
    const upload = { path: join(folder, 'missing'), name: 'a', size: 9, pixelLimit: 1 };
    await expect(parser.parse(APP, upload)).rejects.toThrow('ENOENT');
    await itParsesTheNextUpload(parser);
  });

  it('reads the facts of a stored image and keeps its bytes', async () => {
    const bytes = jpegSample();
    const facts = await sharedParser.readImageFacts(APP, { bytes, name: 'a.jpg', mime: 'image/png' });
    expect(facts).toMatchObject({ mime: 'image/jpeg' });
    expect(bytes).toEqual(jpegSample());
  });

  it('fails when it is closed during an upload', async () => {
    const parser = openParser();
    const upload = parse(parser, slowDrawing());
    setTimeout(() => void parser.close(), 50);
    await expect(upload).rejects.toThrow(/closed|killed/);
    await expect(parse(parser, 'text')).rejects.toThrow('closed');
  });
});

describe('an upload that exceeds a limit', () => {
  it('is refused after too much CPU time, and the next upload is parsed', async () => {
    const parser = openParser({ processes: 1, maxCpuMs: 20, minBytesPerCpuMs: Infinity });
    expect(await parse(parser, slowDrawing())).toEqual(UNSUPPORTED_TYPE);
    expect(await readdir(folder)).toHaveLength(1);
    await itParsesTheNextUpload(parser);
  });

  it('is refused after too much memory, and the next upload is parsed', async () => {
    const parser = openParser({ processes: 1, maxMemoryMegabytes: 60 });
    const text = `<text>${'č&amp;'.repeat(1_200_000)}</text>`;
    expect(await parse(parser, drawing(text))).toEqual(UNSUPPORTED_TYPE);
    await itParsesTheNextUpload(parser);
  });

  it('does not delay the uploads of another app', async () => {
    const parser = openParser();
    const finished: string[] = [];
    const costlyUploads = [1, 2, 3].map(async (attempt) => {
      await parse(parser, slowDrawing() + ' '.repeat(attempt));
      finished.push('costly');
    });
    await parse(parser, jpegSample(), { appId: OTHER_APP });
    finished.push('small');
    await Promise.all(costlyUploads);
    expect(finished[0]).toBe('small');
  });
});

describe('the main thread of IsolatedUploadParser', () => {
  const COSTLY_DRAWINGS = [
    {
      mime: 'image/svg+xml',
      description: 'references of many classes',
      make: () =>
        Buffer.from(
          drawing(
            `<style>${Array.from({ length: 9_000 }, (_, at) => `.c${at}`).join(',')}{${'fill:url(#r);'.repeat(3_000)}}</style>`,
          ),
        ),
    },
    {
      mime: 'image/svg+xml',
      description: 'nested brackets',
      make: () => Buffer.from(drawing(`<path transform="${'('.repeat(2_000_000)}"/>`)),
    },
  ];
  const readCpuMs = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;

  itOnLinux.each([...COSTLY_FILES, ...COSTLY_DRAWINGS])(
    'spends at most 50 ms of CPU time on $mime with $description',
    async ({ make }) => {
      const path = join(folder, 'costly');
      const bytes = make();
      await writeFile(path, bytes);
      await itParsesTheNextUpload(sharedParser);
      let minCpuMs = Infinity;
      // Uses the minimum of several attempts, because collecting the test's own garbage also takes CPU time.
      for (let attempt = 0; attempt < 10 && minCpuMs >= MAX_MAIN_CPU_MS; attempt += 1) {
        const before = readCpuMs();
        await sharedParser.parse(APP, { path, name: 'file', size: bytes.length, pixelLimit: 1e8 });
        minCpuMs = Math.min(minCpuMs, readCpuMs() - before);
      }
      expect(minCpuMs).toBeLessThan(MAX_MAIN_CPU_MS);
    },
  );
});
