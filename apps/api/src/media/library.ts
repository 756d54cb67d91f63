import type { ImageProcessor, MediaStore } from '@back-office/media';
import { DiskMediaStore } from '@back-office/storage-disk';
import { join } from 'node:path';
import { InvalidConfig, type Config, type S3Config } from '../config.js';

/** Where an installation keeps its files, and what their public addresses begin with. */
export interface Library {
  readonly store: MediaStore;
  /** Without a slash at its end. */
  readonly base: string;
}

/** What a module named by `STORAGE` exports: it reads its own configuration from the environment. */
export interface StorageModule {
  /** `base`: what public addresses begin with, when the store serves its files itself. */
  openMediaStore(environment: Config['environment']): Promise<{ readonly store: MediaStore; readonly base?: string }>;
}

export async function openLibrary(config: Config): Promise<Library> {
  const own = `${config.publicUrl}/media`;
  const { storage } = config;
  if (storage.kind === 'disk') return { store: await DiskMediaStore.open(join(config.dataDir, 'media')), base: own };
  if (storage.kind === 's3') return { store: await bucket(storage.s3), base: baseOf(storage.s3) };
  const { store, base = own } = await (await moduleNamed(storage.module)).openMediaStore(config.environment);
  return { store, base: base.replace(/\/+$/, '') };
}

async function bucket(s3: S3Config): Promise<MediaStore> {
  // Loaded only where it is used: it is large.
  const { S3MediaStore } = await import('@back-office/storage-s3');
  return new S3MediaStore(s3);
}

function baseOf({ publicUrl, endpoint, region, bucket: name }: S3Config): string {
  const own = endpoint ?? `https://s3.${region}.amazonaws.com`;
  return (publicUrl ?? `${own.replace(/\/+$/, '')}/${name}`).replace(/\/+$/, '');
}

async function moduleNamed(name: string): Promise<StorageModule> {
  const loaded: unknown = await import(name).catch((error: unknown) => {
    throw new InvalidConfig(`Bad configuration: STORAGE: ${name} cannot be loaded: ${(error as Error).message}`);
  });
  if (typeof (loaded as Partial<StorageModule>).openMediaStore === 'function') return loaded as StorageModule;
  throw new InvalidConfig(`Bad configuration: STORAGE: ${name} exports no openMediaStore`);
}

export async function imageProcessorOf({ images, imagePixelLimit }: Config): Promise<ImageProcessor> {
  if (images === 'jimp') {
    const { JimpImageProcessor } = await import('@back-office/images-jimp');
    return new JimpImageProcessor({ pixelLimit: imagePixelLimit });
  }
  const { SharpImageProcessor } = await import('@back-office/images-sharp');
  return new SharpImageProcessor({ pixelLimit: imagePixelLimit });
}
