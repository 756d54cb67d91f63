import {
  blobKey,
  type ByteRange,
  type ImageFacts,
  type ImageOutput,
  type ImageProcessor,
  isCostlyFile,
  isUnreadableFile,
  isUnsupportedImage,
  type OutputFormat,
  pageKey,
  planSizes,
  type ProcessedImage,
  type ProcessPayload,
  renditionKey,
  type Size,
  type FileToProcess,
  type ProcessedObject,
  type ProcessedFileQueries,
  type ProcessedFiles,
  type ProcessingResult,
} from '@back-office/media';
import { createHash, randomUUID } from 'node:crypto';
import type { Library, LibraryTools } from '../library.js';
import type { PublicCopies } from '../serving/public-copies.js';

export class BrokenContent extends Error {}

/**
 * The image processor crashed or was killed. Either the image or the machine may be the cause, so the job is retried.
 */
export class ProcessorCrashed extends Error {}

/** Renditions need the processed content, which does not exist yet, so the job is retried. */
export class ContentPending extends Error {}

const PDF = 'application/pdf';
const MAX_PAGES = 20;
const NO_SIZE = { width: null, height: null } as const;
const EMPTY_RESULT = { main: undefined, renditions: [], pages: [], replacesRenditions: true } as const;

export class FileProcessing {
  constructor(
    private readonly library: Library,
    private readonly tools: Pick<LibraryTools, 'images' | 'pages' | 'facts' | 'parser'>,
    private readonly processedFiles: ProcessedFiles,
    private readonly queries: ProcessedFileQueries,
    private readonly copies: PublicCopies,
  ) {}

  /**
   * Makes and publishes renditions and pages of a file. Runs may be repeated or concurrent, because results of replaced
   * content are discarded.
   */
  async run({ appId, fileId, version, widths }: ProcessPayload): Promise<void> {
    const file = await this.queries.find(appId, fileId);
    if (file === undefined) return;
    const isPending = file.processing === 'pending';
    if (version !== undefined && (version !== file.version || !isPending)) return this.repairCopies(appId, file);
    // A failure here is harmless, because `publish` writes the copy again.
    await this.copies.trySync(appId, [file.key]);
    if (version === undefined && isPending) throw new ContentPending('The content is not processed yet');
    const result = await this.makeObjects(appId, file, widths);
    const isListed = await this.publish(appId, file, result);
    if (!isListed && version === undefined) throw new ContentPending('The content was replaced meanwhile');
  }

  /** Completes public copies that an earlier, crashed run may have left incomplete. */
  private async repairCopies(appId: number, { id, key }: FileToProcess): Promise<void> {
    await this.copies.sync(appId, [key, ...(await this.queries.derivedKeys(appId, id))]);
  }

  /** Writes public copies of the results, then lists them. Returns false when the content was replaced meanwhile. */
  private async publish(appId: number, file: FileToProcess, result: ProcessingResult): Promise<boolean> {
    const keys = await this.processedFiles.record(appId, file, result);
    if (keys === false) {
      await this.discard(result);
      return false;
    }
    await this.copies.sync(appId, keys);
    const removedKeys = await this.processedFiles.list(appId, file, result);
    if (removedKeys === false) return false;
    await this.copies.trySync(appId, removedKeys);
    return true;
  }

  async markAsFailed({ appId, fileId, version }: ProcessPayload): Promise<void> {
    if (version !== undefined) await this.processedFiles.fail(appId, fileId, version);
  }

  private async makeObjects(
    appId: number,
    file: FileToProcess,
    widths: readonly number[] | undefined,
  ): Promise<ProcessingResult> {
    if (file.kind === 'image') return this.readAndMakeImages(appId, file, widths);
    if (file.kind === 'video') return { ...EMPTY_RESULT, ...((await this.videoSize(file)) ?? NO_SIZE) };
    return { ...EMPTY_RESULT, ...NO_SIZE, pages: file.mime === PDF ? await this.renderPages(file) : [] };
  }

  private videoSize({ content, size }: FileToProcess): Promise<Size | undefined> {
    const read = (from: number, length: number) => this.readBlob(content, { first: from, last: from + length - 1 });
    return this.tools.facts.sizeOf({ size, read });
  }

  private async renderPages(file: FileToProcess): Promise<(ProcessedObject & { key: string; page: number })[]> {
    const renderedPages: (ProcessedObject & { key: string; page: number })[] = [];
    try {
      for await (const { page, width, height, bytes } of this.tools.pages.pages(
        await this.readBlob(file.content),
        MAX_PAGES,
      )) {
        const facts = { mime: 'image/png', width, height, animated: false, cmyk: false };
        const [image] = await this.processImage(bytes, facts, [{ width, format: 'webp', quality: file.quality }]);
        if (image)
          renderedPages.push({ ...(await this.storeImage(file, image)), page, key: pageKey(file.key, page, 'webp') });
      }
      return renderedPages;
    } catch (error) {
      for (const { content } of renderedPages) await this.library.store.remove(content);
      if (isUnreadableFile(error)) return [];
      throw error;
    }
  }

  private async readAndMakeImages(
    appId: number,
    file: FileToProcess,
    widths: readonly number[] | undefined,
  ): Promise<ProcessingResult> {
    const bytes = await this.readBlob(file.original ?? file.content);
    try {
      return await this.makeImages(appId, file, bytes, widths);
    } catch (error) {
      if (isUnsupportedImage(error)) return { ...EMPTY_RESULT, ...NO_SIZE };
      throw error;
    }
  }

  private async makeImages(
    appId: number,
    file: FileToProcess,
    bytes: Uint8Array,
    widths: readonly number[] | undefined,
  ): Promise<ProcessingResult> {
    // The original may have a different media type than the stored content.
    const facts = await this.tools.parser.readImageFacts(appId, { bytes, name: file.key, mime: file.mime });
    if (facts === undefined) throw new BrokenContent('The image has no header');
    const { width, height } = facts;
    const isFullRun = widths === undefined;
    const renditionWidths = [...(widths ?? file.renditionWidths), ...file.keptWidths];
    const { main, renditions } = planSizes(facts, { ...file, renditionWidths });
    const sizes = isFullRun ? [main, ...renditions] : renditions;
    const maxWidth = Math.max(0, ...sizes.map((size) => size.width));
    const format = chooseFormat(this.tools.images, facts, file.outputFormat, maxWidth);
    if (format === undefined) return { ...EMPTY_RESULT, width, height };
    const outputs = sizes.map((size): ImageOutput => ({ width: size.width, format, quality: file.quality }));
    const images = await this.processImage(bytes, facts, outputs);
    const [mainImage, ...renditionImages] = isFullRun ? images : [undefined, ...images];
    const storedRenditions = await Promise.all(
      (renditionImages as ProcessedImage[]).map((image) => this.storeImage(file, image)),
    );
    const improvedMain = mainImage && isImprovement(mainImage, facts, file) ? mainImage : undefined;
    return {
      main: improvedMain && {
        ...(await this.storeImage(file, improvedMain)),
        checksum: createHash('sha256').update(improvedMain.bytes).digest(),
      },
      width: isFullRun ? width : null,
      height: isFullRun ? height : null,
      renditions: storedRenditions.map((object, index) => {
        const { label = '', width: renditionWidth = 0 } = renditions[index] ?? {};
        return { ...object, label, key: renditionKey(file.key, renditionWidth) };
      }),
      replacesRenditions: isFullRun,
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
      if (isCostlyFile(error) || isUnsupportedImage(error)) throw error;
      if (isUnreadableFile(error)) throw new BrokenContent('The image cannot be decoded', { cause: error });
      throw new ProcessorCrashed('The image could not be processed', { cause: error });
    }
  }

  private async storeImage(
    { prefix }: FileToProcess,
    { mime, width, height, bytes }: ProcessedImage,
  ): Promise<ProcessedObject> {
    const content = blobKey(prefix, randomUUID());
    await this.library.store.put(content, chunksOf(bytes), mime);
    return { content, mime, size: bytes.length, width, height };
  }

  private async readBlob(blob: string, range?: ByteRange): Promise<Uint8Array> {
    const storedContent = await this.library.store.read(blob, range);
    if (storedContent === undefined) throw new Error('The content is not in the store');
    const expectedBytes = range
      ? Math.max(0, Math.min(range.last + 1, storedContent.size) - range.first)
      : storedContent.size;
    const bytes = new Uint8Array(expectedBytes);
    let length = 0;
    for await (const chunk of storedContent.bytes) {
      bytes.set(chunk, length);
      length += chunk.length;
    }
    return bytes.subarray(0, length);
  }

  private async discard({ main, renditions, pages }: ProcessingResult): Promise<void> {
    for (const { content } of [...(main ? [main] : []), ...renditions, ...pages])
      await this.library.store.remove(content);
  }
}

function chooseFormat(
  images: ImageProcessor,
  facts: ImageFacts,
  preferredFormat: OutputFormat,
  maxWidth: number,
): OutputFormat | undefined {
  return [preferredFormat, 'original' as const].find((format) => images.can(facts, format, maxWidth));
}

function isImprovement(image: ProcessedImage, { width }: ImageFacts, { mime, size }: FileToProcess): boolean {
  return image.mime !== mime || image.width !== width || image.bytes.length < size;
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
