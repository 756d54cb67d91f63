import {
  blobKey,
  fileType,
  imageFacts,
  plannedSizes,
  renditionKey,
  type ImageFacts,
  type ImageOutput,
  type ImageProcessor,
  type OutputFormat,
  type ProcessedImage,
} from '@back-office/media';
import { createHash, randomUUID } from 'node:crypto';
import type { Library } from './library.js';
import type { ProcessingOrder } from './media-jobs.query.js';
import type { PublicCopies } from './public-copies.js';
import type { FileToProcess, MadeObject, MadeOfFile, TypeOrmMediaObjects } from './typeorm-media-objects.js';

/** The content cannot be decoded, now or later. */
export class BrokenContent extends Error {}

/** Renditions are made of a content that has been processed: a later try is going to find it. */
export class NotYet extends Error {}

const NOTHING_MADE = { main: undefined, renditions: [], pages: [], replacesRenditions: true } as const;

/** Makes of files what their presets say, in the background. */
export class FileProcessing {
  constructor(
    private readonly library: Library,
    private readonly images: ImageProcessor,
    private readonly objects: TypeOrmMediaObjects,
    private readonly copies: PublicCopies,
  ) {}

  /** May be done again, and by several at once: only what is made of the content that is still there counts. */
  async run({ appId, fileId, version, widths }: ProcessingOrder): Promise<void> {
    const file = await this.objects.toProcess(appId, fileId);
    if (file === undefined) return;
    await this.copies.settle(appId, [file.key]);
    const isPending = file.processing === 'pending';
    if (version !== undefined && (version !== file.version || !isPending)) return;
    if (version === undefined && isPending) throw new NotYet('The content is still to be processed');
    const made = await this.make(file, widths);
    const keys = await this.objects.finish(appId, file, made);
    if (keys !== false) return this.copies.settle(appId, keys);
    await this.discard(made);
    if (version === undefined) throw new NotYet('The content has become another meanwhile');
  }

  /** The file stays as it was uploaded. */
  async giveUp({ appId, fileId, version }: ProcessingOrder): Promise<void> {
    if (version !== undefined) await this.objects.fail(appId, fileId, version);
  }

  private async make(file: FileToProcess, widths: readonly number[] | undefined): Promise<MadeOfFile> {
    if (file.kind !== 'image') return { ...NOTHING_MADE, width: null, height: null };
    const bytes = await this.bytesOf(file.original ?? file.content);
    // What was uploaded may be of another type than what was made of it.
    const facts = imageFacts(fileType(bytes, file.key) ?? file.mime, bytes);
    if (facts === undefined) throw new BrokenContent('The image has no header');
    const { width, height } = facts;
    const format = formatFor(this.images, facts, file.outputFormat);
    if (format === undefined) return { ...NOTHING_MADE, width, height };
    const isWhole = widths === undefined;
    const { main, renditions } = plannedSizes(facts, { ...file, renditionWidths: widths ?? file.renditionWidths });
    const sizes = isWhole ? [main, ...renditions] : renditions;
    const outputs = sizes.map((size): ImageOutput => ({ width: size.width, format, quality: file.quality }));
    const made = await this.processed(bytes, facts, outputs);
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

  private async processed(
    bytes: Uint8Array,
    facts: ImageFacts,
    outputs: readonly ImageOutput[],
  ): Promise<readonly ProcessedImage[]> {
    if (outputs.length === 0) return [];
    try {
      return await this.images.process(bytes, facts, outputs);
    } catch (error) {
      throw new BrokenContent('The image cannot be decoded', { cause: error });
    }
  }

  private async kept({ prefix }: FileToProcess, { mime, width, height, bytes }: ProcessedImage): Promise<MadeObject> {
    const content = blobKey(prefix, randomUUID());
    await this.library.store.put(content, once(bytes), mime);
    return { content, mime, size: bytes.length, width, height };
  }

  private async bytesOf(blob: string): Promise<Uint8Array> {
    const stored = await this.library.store.read(blob);
    if (stored === undefined) throw new Error('The content is not in the store');
    const chunks: Uint8Array[] = [];
    for await (const chunk of stored.bytes) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** Another one was faster, or the file is gone. */
  private async discard({ main, renditions, pages }: MadeOfFile): Promise<void> {
    for (const { content } of [...(main ? [main] : []), ...renditions, ...pages])
      await this.library.store.remove(content);
  }
}

/** The preset's format, or the image's own where that one cannot be made of it. */
function formatFor(images: ImageProcessor, facts: ImageFacts, wished: OutputFormat): OutputFormat | undefined {
  return [wished, 'original' as const].find((format) => images.can(facts, format));
}

/** An image that keeps its size and its type is made anew only to be smaller. */
function isBetter(made: ProcessedImage, { width }: ImageFacts, { mime, size }: FileToProcess): boolean {
  return made.mime !== mime || made.width !== width || made.bytes.length < size;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
