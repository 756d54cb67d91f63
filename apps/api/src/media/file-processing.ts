import {
  blobKey,
  fileType,
  imageFacts,
  isUnreadableFile,
  pageKey,
  plannedSizes,
  renditionKey,
  type ByteRange,
  type ImageFacts,
  type ImageOutput,
  type ImageProcessor,
  type OutputFormat,
  type ProcessedImage,
  type Size,
} from '@back-office/media';
import { createHash, randomUUID } from 'node:crypto';
import type { Library, LibraryTools } from './library.js';
import type { ProcessingOrder } from './media-jobs.query.js';
import type { PublicCopies } from './public-copies.js';
import type { FileToProcess, MadeObject, MadeOfFile, TypeOrmProcessedFiles } from './typeorm-processed-files.js';

/** The content cannot be decoded, now or later. */
export class BrokenContent extends Error {}

/** Whoever makes images has died or was ended over it: the image may be to blame, or the machine. */
export class ProcessorLost extends Error {}

/** Renditions are made of a content that has been processed: a later try is going to find it. */
export class NotYet extends Error {}

const PDF = 'application/pdf';
/** Of a document, at most. */
const PAGES = 20;
const NO_SIZE = { width: null, height: null } as const;
const NOTHING_MADE = { main: undefined, renditions: [], pages: [], replacesRenditions: true } as const;

/** Makes of files what their presets say, in the background. */
export class FileProcessing {
  constructor(
    private readonly library: Library,
    private readonly tools: Pick<LibraryTools, 'images' | 'pages' | 'facts'>,
    private readonly processed: TypeOrmProcessedFiles,
    private readonly copies: PublicCopies,
  ) {}

  /** May be done again, and by several at once: only what is made of the content that is still there counts. */
  async run({ appId, fileId, version, widths }: ProcessingOrder): Promise<void> {
    const file = await this.processed.find(appId, fileId);
    if (file === undefined) return;
    const isPending = file.processing === 'pending';
    if (version !== undefined && (version !== file.version || !isPending)) return this.mend(appId, file);
    // A public copy that cannot be written yet holds no work up; before the file is done it has to be.
    await this.copies.trySettle(appId, [file.key]);
    if (version === undefined && isPending) throw new NotYet('The content is still to be processed');
    const made = await this.make(file, widths);
    const isListed = await this.publish(appId, file, made);
    if (!isListed && version === undefined) throw new NotYet('The content has become another meanwhile');
  }

  /** An earlier run may have died over the public copies. */
  private async mend(appId: number, { id, key }: FileToProcess): Promise<void> {
    await this.copies.settle(appId, [key, ...(await this.processed.derivedKeys(appId, id))]);
  }

  /** Lists what was made when it can be found under its public keys; false when the file has another content by now. */
  private async publish(appId: number, file: FileToProcess, made: MadeOfFile): Promise<boolean> {
    const keys = await this.processed.record(appId, file, made);
    if (keys === false) {
      await this.discard(made);
      return false;
    }
    await this.copies.settle(appId, keys);
    const gone = await this.processed.list(appId, file, made);
    if (gone === false) return false;
    await this.copies.trySettle(appId, gone);
    return true;
  }

  /** The file stays as it was uploaded. */
  async giveUp({ appId, fileId, version }: ProcessingOrder): Promise<void> {
    if (version !== undefined) await this.processed.fail(appId, fileId, version);
  }

  private async make(file: FileToProcess, widths: readonly number[] | undefined): Promise<MadeOfFile> {
    if (file.kind === 'image') return this.makeOfImage(file, widths);
    if (file.kind === 'video') return { ...NOTHING_MADE, ...((await this.sizeOfFilm(file)) ?? NO_SIZE) };
    return { ...NOTHING_MADE, ...NO_SIZE, pages: file.mime === PDF ? await this.pagesOf(file) : [] };
  }

  private sizeOfFilm({ content, size }: FileToProcess): Promise<Size | undefined> {
    const read = (from: number, length: number) => this.bytesOf(content, { first: from, last: from + length - 1 });
    return this.tools.facts.sizeOf({ size, read });
  }

  /** One that needs a password, or that nobody can read, has none. */
  private async pagesOf(file: FileToProcess): Promise<(MadeObject & { key: string; page: number })[]> {
    const made: (MadeObject & { key: string; page: number })[] = [];
    try {
      for await (const { page, width, height, bytes } of this.tools.pages.pages(
        await this.bytesOf(file.content),
        PAGES,
      )) {
        const facts = { mime: 'image/png', width, height, animated: false, cmyk: false };
        const [image] = await this.processImage(bytes, facts, [{ width, format: 'webp', quality: file.quality }]);
        if (image) made.push({ ...(await this.kept(file, image)), page, key: pageKey(file.key, page, 'webp') });
      }
      return made;
    } catch (error) {
      for (const { content } of made) await this.library.store.remove(content);
      if (isUnreadableFile(error)) return [];
      throw error;
    }
  }

  private async makeOfImage(file: FileToProcess, widths: readonly number[] | undefined): Promise<MadeOfFile> {
    const bytes = await this.bytesOf(file.original ?? file.content);
    // What was uploaded may be of another type than what was made of it.
    const facts = imageFacts(fileType(bytes, file.key) ?? file.mime, bytes);
    if (facts === undefined) throw new BrokenContent('The image has no header');
    const { width, height } = facts;
    const isWhole = widths === undefined;
    const { main, renditions } = plannedSizes(facts, { ...file, renditionWidths: widths ?? file.renditionWidths });
    const sizes = isWhole ? [main, ...renditions] : renditions;
    const widest = Math.max(0, ...sizes.map((size) => size.width));
    const format = formatFor(this.tools.images, facts, file.outputFormat, widest);
    if (format === undefined) return { ...NOTHING_MADE, width, height };
    const outputs = sizes.map((size): ImageOutput => ({ width: size.width, format, quality: file.quality }));
    const made = await this.processImage(bytes, facts, outputs);
    const [first, ...rest] = isWhole ? made : [undefined, ...made];
    const kept = await Promise.all((rest as ProcessedImage[]).map((image) => this.kept(file, image)));
    const better = first && isBetter(first, facts, file) ? first : undefined;
    return {
      main: better && {
        ...(await this.kept(file, better)),
        checksum: createHash('sha256').update(better.bytes).digest(),
      },
      width: isWhole ? width : null,
      height: isWhole ? height : null,
      renditions: kept.map((object, index) => {
        const { label = '', width: wide = 0 } = renditions[index] ?? {};
        return { ...object, label, key: renditionKey(file.key, wide) };
      }),
      replacesRenditions: isWhole,
      pages: [],
    };
  }

  private async processImage(
    bytes: Uint8Array,
    facts: ImageFacts,
    outputs: readonly ImageOutput[],
  ): Promise<readonly ProcessedImage[]> {
    if (outputs.length === 0) return [];
    try {
      return await this.tools.images.process(bytes, facts, outputs);
    } catch (error) {
      if (isUnreadableFile(error)) throw new BrokenContent('The image cannot be decoded', { cause: error });
      throw new ProcessorLost('The image could not be processed', { cause: error });
    }
  }

  private async kept({ prefix }: FileToProcess, { mime, width, height, bytes }: ProcessedImage): Promise<MadeObject> {
    const content = blobKey(prefix, randomUUID());
    await this.library.store.put(content, once(bytes), mime);
    return { content, mime, size: bytes.length, width, height };
  }

  private async bytesOf(blob: string, range?: ByteRange): Promise<Uint8Array> {
    const stored = await this.library.store.read(blob, range);
    if (stored === undefined) throw new Error('The content is not in the store');
    const wanted = range ? Math.max(0, Math.min(range.last + 1, stored.size) - range.first) : stored.size;
    const bytes = new Uint8Array(wanted);
    let length = 0;
    for await (const chunk of stored.bytes) {
      bytes.set(chunk, length);
      length += chunk.length;
    }
    return bytes.subarray(0, length);
  }

  /** Another one was faster, or the file is gone. */
  private async discard({ main, renditions, pages }: MadeOfFile): Promise<void> {
    for (const { content } of [...(main ? [main] : []), ...renditions, ...pages])
      await this.library.store.remove(content);
  }
}

/** The preset's format, or the image's own where that one cannot be made of it. */
function formatFor(
  images: ImageProcessor,
  facts: ImageFacts,
  wished: OutputFormat,
  widest: number,
): OutputFormat | undefined {
  return [wished, 'original' as const].find((format) => images.can(facts, format, widest));
}

/** An image that keeps its size and its type is made anew only to be smaller. */
function isBetter(made: ProcessedImage, { width }: ImageFacts, { mime, size }: FileToProcess): boolean {
  return made.mime !== mime || made.width !== width || made.bytes.length < size;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
