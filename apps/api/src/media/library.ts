import { MediainfoFacts } from '@back-office/facts-mediainfo';
import { trimEndCharacters } from '@back-office/kernel';
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
  UploadParser,
} from '@back-office/media';
import { PdfiumPageRenderer } from '@back-office/pages-pdfium';
import { IsolatedUploadParser } from '@back-office/upload-parser';
import { DiskMediaStore } from '@back-office/storage-disk';
import { join } from 'node:path';
import type { Config, S3Config } from '../config.js';
import { createCdnPurger } from './serving/http-cdn-purger.js';
import { closeAll, openModule, type Closable } from '../adapters/index.js';
import { FACTS_ADAPTER, IMAGES_ADAPTER, PAGES_ADAPTER, PURGER_ADAPTER, type OpenedPurger } from './media-modules.js';
import { openStorageModule } from './storage-module.js';

export interface Library extends PublicLibrary {
  readonly store: MediaStore;
  readonly close: () => void | Promise<void>;
}

export interface LibraryTools {
  readonly library: Library;
  readonly images: ImageProcessor;
  readonly pages: PageRenderer;
  readonly facts: MediaFacts;
  readonly parser: UploadParser;
  readonly purger: CdnPurger;
  readonly pixelLimit: number;
  close(): Promise<void>;
}

/**
 * Opens the store. With `isReadOnly`, a disk store neither creates nor cleans its folder; other stores ignore the
 * option.
 */
export async function openLibrary(
  config: Config,
  { isReadOnly = false }: { readonly isReadOnly?: boolean } = {},
): Promise<Library> {
  const serviceBase = `${config.publicUrl}/media`;
  const { storage } = config;
  if (storage.kind === 'disk') {
    const folder = join(config.dataDir, 'media');
    const store = isReadOnly ? DiskMediaStore.openReadOnly(folder) : await DiskMediaStore.open(folder);
    return { store, base: serviceBase, isPublished: false, close: () => {} };
  }
  if (storage.kind === 's3') {
    const store = await openBucket(storage.s3);
    return { store, base: bucketUrl(storage.s3), isPublished: true, close: () => store.close() };
  }
  const openedStore = await openStorageModule(storage.module, config.environment);
  const { store, base } = openedStore;
  const isPublished = base !== undefined;
  return { store, base: trimEndCharacters(base ?? serviceBase, '/'), isPublished, close: () => openedStore.close?.() };
}

async function openBucket(s3: S3Config) {
  // `storage-s3` is large, so it is imported only when it is used.
  const { S3MediaStore } = await import('@back-office/storage-s3');
  return new S3MediaStore(s3);
}

function bucketUrl({ publicUrl, endpoint, region, bucket: name }: S3Config): string {
  const server = endpoint ?? `https://s3.${region}.amazonaws.com`;
  return trimEndCharacters(publicUrl ?? `${trimEndCharacters(server, '/')}/${name}`, '/');
}

export async function openLibraryTools(config: Config): Promise<LibraryTools> {
  const openAdapters: Closable[] = [];
  const close = async (): Promise<void> => {
    await closeAll(openAdapters);
  };
  const trackAdapter = async <Adapter extends Closable>(adapterPromise: Promise<Adapter>): Promise<Adapter> => {
    const adapter = await adapterPromise;
    openAdapters.push(adapter);
    return adapter;
  };
  try {
    const library = await trackAdapter(openLibrary(config));
    const images = await trackAdapter(openImageProcessor(config));
    const pages = await trackAdapter(openPageRenderer(config));
    const facts = await trackAdapter(openMediaFacts(config));
    const purger = await trackAdapter(openPurger(config));
    const parser = await trackAdapter(Promise.resolve(new IsolatedUploadParser()));
    return { library, images, pages, facts, parser, purger, pixelLimit: config.imagePixelLimit, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPageRenderer({ pages, environment }: Config): Promise<PageRenderer> {
  return pages === 'pdfium' ? new PdfiumPageRenderer() : openModule(PAGES_ADAPTER, pages, environment);
}

async function openMediaFacts({ facts, environment }: Config): Promise<MediaFacts> {
  return facts === 'mediainfo' ? new MediainfoFacts() : openModule(FACTS_ADAPTER, facts, environment);
}

async function openPurger({ purger, cdnPurgeUrl, environment }: Config): Promise<OpenedPurger> {
  return purger === 'http' ? createCdnPurger(cdnPurgeUrl) : openModule(PURGER_ADAPTER, purger, environment);
}

async function openImageProcessor({ images, imagePixelLimit, environment }: Config): Promise<ImageProcessor> {
  if (images !== 'sharp' && images !== 'jimp') return openModule(IMAGES_ADAPTER, images, environment);
  const options = { pixelLimit: imagePixelLimit };
  const { JimpImageProcessor } = await import('@back-office/images-jimp');
  const jimp = new JimpImageProcessor(options);
  if (images === 'jimp') return jimp;
  const { SharpImageProcessor } = await import('@back-office/images-sharp');
  return new FallbackImageProcessor([new SharpImageProcessor(options), jimp]);
}

/** Uses the first processor that supports all outputs. For example, sharp cannot read BMP. */
class FallbackImageProcessor implements ImageProcessor {
  constructor(private readonly processors: readonly ImageProcessor[]) {}

  can(image: ImageFacts, format: OutputFormat, width?: number): boolean {
    return this.processors.some((processor) => processor.can(image, format, width));
  }

  async process(bytes: Uint8Array, image: ImageFacts, outputs: readonly ImageOutput[]) {
    const capableProcessor = this.processors.find((processor) =>
      outputs.every(({ format, width }) => processor.can(image, format, width)),
    );
    if (capableProcessor === undefined) throw new Error('No image processor can make these outputs');
    return capableProcessor.process(bytes, image, outputs);
  }

  async close(): Promise<void> {
    await Promise.all(this.processors.map((processor) => processor.close()));
  }
}
