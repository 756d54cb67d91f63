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
} from '@back-office/media';
import { PdfiumPageRenderer } from '@back-office/pages-pdfium';
import { DiskMediaStore } from '@back-office/storage-disk';
import { join } from 'node:path';
import type { Config, S3Config } from '../config.js';
import { cdnPurgerOf } from './http-cdn-purger.js';
import { closeAll, openModule, type Closable } from '../adapters/index.js';
import { FACTS, IMAGES, PAGES, PURGER, type OpenedPurger } from './media-modules.js';
import { openStorageModule } from './storage-module.js';

/** Where an installation keeps its files, and what their public addresses begin with. */
export interface Library {
  readonly store: MediaStore;
  /** Without a slash at its end. */
  readonly base: string;
  /** The store serves files to the world itself: each of them has to lie under its public key. */
  readonly isPublished: boolean;
  readonly close: () => void | Promise<void>;
}

/** What the library is made with. */
export interface LibraryTools {
  readonly library: Library;
  readonly images: ImageProcessor;
  readonly pages: PageRenderer;
  readonly facts: MediaFacts;
  readonly purger: CdnPurger;
  readonly pixelLimit: number;
  close(): Promise<void>;
}

/** The library; `toRead`: a folder is not made or swept by opening it. A store of somebody else's opens as it does. */
export async function openLibrary(config: Config, { toRead = false } = {}): Promise<Library> {
  const own = `${config.publicUrl}/media`;
  const { storage } = config;
  if (storage.kind === 'disk') {
    const folder = join(config.dataDir, 'media');
    const store = toRead ? DiskMediaStore.toRead(folder) : await DiskMediaStore.open(folder);
    return { store, base: own, isPublished: false, close: () => {} };
  }
  if (storage.kind === 's3') {
    const store = await bucket(storage.s3);
    return { store, base: baseOf(storage.s3), isPublished: true, close: () => store.close() };
  }
  const opened = await openStorageModule(storage.module, config.environment);
  const { store, base } = opened;
  const isPublished = base !== undefined;
  return { store, base: (base ?? own).replace(/\/+$/, ''), isPublished, close: () => opened.close?.() };
}

async function bucket(s3: S3Config) {
  // Loaded only where it is used: it is large.
  const { S3MediaStore } = await import('@back-office/storage-s3');
  return new S3MediaStore(s3);
}

function baseOf({ publicUrl, endpoint, region, bucket: name }: S3Config): string {
  const own = endpoint ?? `https://s3.${region}.amazonaws.com`;
  return (publicUrl ?? `${own.replace(/\/+$/, '')}/${name}`).replace(/\/+$/, '');
}

/** Everything that an installation chooses for its library. */
export async function libraryToolsOf(config: Config): Promise<LibraryTools> {
  const opened: Closable[] = [];
  const close = async (): Promise<void> => {
    await closeAll(opened);
  };
  const kept = async <Opened extends Closable>(opening: Promise<Opened>): Promise<Opened> => {
    const each = await opening;
    opened.push(each);
    return each;
  };
  try {
    const library = await kept(openLibrary(config));
    const images = await kept(imageProcessorOf(config));
    const pages = await kept(pageRendererOf(config));
    const facts = await kept(mediaFactsOf(config));
    const purger = await kept(purgerOf(config));
    return { library, images, pages, facts, purger, pixelLimit: config.imagePixelLimit, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function pageRendererOf({ pages, environment }: Config): Promise<PageRenderer> {
  return pages === 'pdfium' ? new PdfiumPageRenderer() : openModule(PAGES, pages, environment);
}

async function mediaFactsOf({ facts, environment }: Config): Promise<MediaFacts> {
  return facts === 'mediainfo' ? new MediainfoFacts() : openModule(FACTS, facts, environment);
}

async function purgerOf({ purger, cdnPurgeUrl, environment }: Config): Promise<OpenedPurger> {
  return purger === 'http' ? cdnPurgerOf(cdnPurgeUrl) : openModule(PURGER, purger, environment);
}

async function imageProcessorOf({ images, imagePixelLimit, environment }: Config): Promise<ImageProcessor> {
  if (images !== 'sharp' && images !== 'jimp') return openModule(IMAGES, images, environment);
  const options = { pixelLimit: imagePixelLimit };
  const { JimpImageProcessor } = await import('@back-office/images-jimp');
  const jimp = new JimpImageProcessor(options);
  if (images === 'jimp') return jimp;
  const { SharpImageProcessor } = await import('@back-office/images-sharp');
  return new FirstThatCan([new SharpImageProcessor(options), jimp]);
}

/** What the first processor cannot do, such as BMP, the next one may. */
class FirstThatCan implements ImageProcessor {
  constructor(private readonly processors: readonly ImageProcessor[]) {}

  can(image: ImageFacts, format: OutputFormat, width?: number): boolean {
    return this.processors.some((processor) => processor.can(image, format, width));
  }

  async process(bytes: Uint8Array, image: ImageFacts, outputs: readonly ImageOutput[]) {
    const able = this.processors.find((each) => outputs.every(({ format, width }) => each.can(image, format, width)));
    if (able === undefined) throw new Error('No image processor can do this');
    return able.process(bytes, image, outputs);
  }

  async close(): Promise<void> {
    await Promise.all(this.processors.map((processor) => processor.close()));
  }
}
