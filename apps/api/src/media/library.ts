import { MediainfoFacts } from '@back-office/facts-mediainfo';
import type {
  CdnPurger,
  ImageFacts,
  ImageOutput,
  ImageProcessor,
  MediaFacts,
  MediaStore,
  OutputFormat,
  PageRenderer,
  PublicLibrary,
  SvgSanitizer,
} from '@back-office/media';
import { PdfiumPageRenderer } from '@back-office/pages-pdfium';
import { DiskMediaStore } from '@back-office/storage-disk';
import { SaxesSvgSanitizer } from '@back-office/svg-saxes';
import { join } from 'node:path';
import type { Config, S3Config } from '../config.js';
import { createCdnPurger } from './serving/http-cdn-purger.js';
import { closeAll, openModule, type Closable } from '../adapters/index.js';
import { FACTS, IMAGES, PAGES, PURGER, type OpenedPurger } from './media-modules.js';
import { openStorageModule } from './storage-module.js';

export interface Library extends PublicLibrary {
  readonly store: MediaStore;
  readonly close: () => void | Promise<void>;
}

/** The adapters of the library. */
export interface LibraryTools {
  readonly library: Library;
  readonly images: ImageProcessor;
  readonly pages: PageRenderer;
  readonly facts: MediaFacts;
  readonly drawings: SvgSanitizer;
  readonly purger: CdnPurger;
  readonly pixelLimit: number;
  close(): Promise<void>;
}

/** `isReadOnly` neither creates nor sweeps a disk folder; other stores ignore it. */
export async function openLibrary(config: Config, { isReadOnly = false } = {}): Promise<Library> {
  const ownBase = `${config.publicUrl}/media`;
  const { storage } = config;
  if (storage.kind === 'disk') {
    const folder = join(config.dataDir, 'media');
    const store = isReadOnly ? DiskMediaStore.openReadOnly(folder) : await DiskMediaStore.open(folder);
    return { store, base: ownBase, isPublished: false, close: () => {} };
  }
  if (storage.kind === 's3') {
    const store = await openBucket(storage.s3);
    return { store, base: bucketUrl(storage.s3), isPublished: true, close: () => store.close() };
  }
  const opened = await openStorageModule(storage.module, config.environment);
  const { store, base } = opened;
  const isPublished = base !== undefined;
  return { store, base: (base ?? ownBase).replace(/\/+$/, ''), isPublished, close: () => opened.close?.() };
}

async function openBucket(s3: S3Config) {
  // Imported on demand, since it is large.
  const { S3MediaStore } = await import('@back-office/storage-s3');
  return new S3MediaStore(s3);
}

function bucketUrl({ publicUrl, endpoint, region, bucket: name }: S3Config): string {
  const server = endpoint ?? `https://s3.${region}.amazonaws.com`;
  return (publicUrl ?? `${server.replace(/\/+$/, '')}/${name}`).replace(/\/+$/, '');
}

/** Opens the configured adapters; closes those already open when one fails. */
export async function openLibraryTools(config: Config): Promise<LibraryTools> {
  const opened: Closable[] = [];
  const close = async (): Promise<void> => {
    await closeAll(opened);
  };
  const track = async <Opened extends Closable>(opening: Promise<Opened>): Promise<Opened> => {
    const adapter = await opening;
    opened.push(adapter);
    return adapter;
  };
  try {
    const library = await track(openLibrary(config));
    const images = await track(openImageProcessor(config));
    const pages = await track(openPageRenderer(config));
    const facts = await track(openMediaFacts(config));
    const purger = await track(openPurger(config));
    const drawings = new SaxesSvgSanitizer();
    return { library, images, pages, facts, drawings, purger, pixelLimit: config.imagePixelLimit, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPageRenderer({ pages, environment }: Config): Promise<PageRenderer> {
  return pages === 'pdfium' ? new PdfiumPageRenderer() : openModule(PAGES, pages, environment);
}

async function openMediaFacts({ facts, environment }: Config): Promise<MediaFacts> {
  return facts === 'mediainfo' ? new MediainfoFacts() : openModule(FACTS, facts, environment);
}

async function openPurger({ purger, cdnPurgeUrl, environment }: Config): Promise<OpenedPurger> {
  return purger === 'http' ? createCdnPurger(cdnPurgeUrl) : openModule(PURGER, purger, environment);
}

async function openImageProcessor({ images, imagePixelLimit, environment }: Config): Promise<ImageProcessor> {
  if (images !== 'sharp' && images !== 'jimp') return openModule(IMAGES, images, environment);
  const options = { pixelLimit: imagePixelLimit };
  const { JimpImageProcessor } = await import('@back-office/images-jimp');
  const jimp = new JimpImageProcessor(options);
  if (images === 'jimp') return jimp;
  const { SharpImageProcessor } = await import('@back-office/images-sharp');
  return new FallbackImageProcessor([new SharpImageProcessor(options), jimp]);
}

/** Uses the first processor that can make all outputs: sharp cannot read BMP, for example. */
class FallbackImageProcessor implements ImageProcessor {
  constructor(private readonly processors: readonly ImageProcessor[]) {}

  can(image: ImageFacts, format: OutputFormat, width?: number): boolean {
    return this.processors.some((processor) => processor.can(image, format, width));
  }

  async process(bytes: Uint8Array, image: ImageFacts, outputs: readonly ImageOutput[]) {
    const capable = this.processors.find((each) =>
      outputs.every(({ format, width }) => each.can(image, format, width)),
    );
    if (capable === undefined) throw new Error('No image processor can make these outputs');
    return capable.process(bytes, image, outputs);
  }

  async close(): Promise<void> {
    await Promise.all(this.processors.map((processor) => processor.close()));
  }
}
