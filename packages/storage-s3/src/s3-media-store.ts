import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ByteRange, MediaStore, StoredBytes, StoredObject } from '@back-office/media';
import { Readable } from 'node:stream';

export interface S3Options {
  /** Needed for services other than AWS. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** The default is the credential chain of the AWS SDK. */
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
}

const PART_BYTES = 5 * 2 ** 20;
const PART_CONCURRENCY = 2;
const CONNECTION_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 60_000;

export class S3MediaStore implements MediaStore {
  private readonly client: S3Client;
  private readonly bucket: string;

  constructor({ endpoint, region, bucket, accessKeyId, secretAccessKey }: S3Options) {
    this.bucket = bucket;
    this.client = new S3Client({
      region,
      ...(endpoint !== undefined && { endpoint }),
      ...(accessKeyId !== undefined &&
        secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
      forcePathStyle: true,
      // Services other than AWS would store the trailing checksums of streams as content.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    });
  }

  async put(key: string, bytes: AsyncIterable<Uint8Array>, mime: string): Promise<number> {
    let size = 0;
    const countChunks = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of bytes) {
        size += chunk.length;
        yield chunk;
      }
    };
    const body = Readable.from(countChunks());
    const upload = new Upload({
      client: this.client,
      params: { Bucket: this.bucket, Key: key, Body: body, ContentType: mime },
      partSize: PART_BYTES,
      queueSize: PART_CONCURRENCY,
    });
    await upload.done();
    return size;
  }

  async read(key: string, range?: ByteRange): Promise<StoredBytes | undefined> {
    const header = range && { Range: `bytes=${range.first}-${range.last}` };
    try {
      const response = await this.client.send(new GetObjectCommand({ Bucket: this.bucket, Key: key, ...header }));
      const bytes = response.Body as Readable;
      const [, start, totalSize] = /^bytes (\d+)-.*\/(\d+)$/.exec(response.ContentRange ?? '') ?? [];
      const size = Number(totalSize ?? response.ContentLength);
      // Slices the answer, because some S3 services send more than the range, or the whole object.
      return { size, bytes: range ? sliceRange(bytes, Number(start ?? 0), range) : bytes };
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (statusOf(error) === 416) return this.readEmptyRange(key);
      throw error;
    }
  }

  async copy(from: string, to: string): Promise<boolean> {
    const source = `${this.bucket}/${from}`.split('/').map(encodeURIComponent).join('/');
    try {
      await this.client.send(new CopyObjectCommand({ Bucket: this.bucket, Key: to, CopySource: source }));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async remove(key: string): Promise<void> {
    try {
      await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: key }));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    let pageToken: string | undefined;
    do {
      const page = await this.client.send(
        new ListObjectsV2Command({
          Bucket: this.bucket,
          Prefix: prefix,
          ...(pageToken && { ContinuationToken: pageToken }),
        }),
      );
      for (const { Key: key, Size: size, LastModified: writtenAt } of page.Contents ?? []) {
        if (key !== undefined) yield { key, size: size ?? 0, writtenAt: writtenAt ?? new Date(0) };
      }
      pageToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (pageToken !== undefined);
  }

  async ping(): Promise<void> {
    await this.client.send(new HeadBucketCommand({ Bucket: this.bucket }));
  }

  close(): void {
    this.client.destroy();
  }

  /** Requests only the size: a range beyond the end has no bytes, but the result needs the size of the object. */
  private async readEmptyRange(key: string): Promise<StoredBytes> {
    const { ContentLength: size } = await this.client.send(new HeadObjectCommand({ Bucket: this.bucket, Key: key }));
    return { size: size ?? 0, bytes: Readable.from([]) };
  }
}

async function* sliceRange(
  bytes: AsyncIterable<Uint8Array>,
  start: number,
  { first, last }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let at = start;
  for await (const chunk of bytes) {
    const part = chunk.subarray(Math.max(first - at, 0), Math.max(last + 1 - at, 0));
    if (part.length > 0) yield part;
    at += chunk.length;
    if (at > last) return;
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function isMissing(error: unknown): boolean {
  const { name } = error as { name?: string };
  return name === 'NoSuchKey' || name === 'NotFound' || statusOf(error) === 404;
}
