import { isRefusal, type Refusal } from '@back-office/kernel';
import {
  fileType,
  imageFacts,
  isUnreadableFile,
  publicContent,
  readUploadFacts,
  UNSUPPORTED_TYPE,
  type ImageFacts,
  type ReadableFile,
} from '@back-office/media';
import { serveTasks } from './processes/index.js';
import { SaxesSvgSanitizer } from './svg/index.js';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ImageTask, ParsedFile, ParserReply, ParserTask, ParseTask } from './messages.js';

const svgSanitizer = new SaxesSvgSanitizer();

async function run(task: ParserTask): Promise<ParserReply> {
  try {
    return task.kind === 'parse' ? { parsed: await parse(task) } : { facts: readFacts(task) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

async function parse(task: ParseTask): Promise<ParsedFile | Refusal> {
  const facts = await readHead(task);
  if (isRefusal(facts)) return facts;
  const content = publicContent(facts.mime, readLazily(task.path), svgSanitizer);
  try {
    return { ...facts, stripped: content && (await write(content, task.target)) };
  } catch (error) {
    await rm(task.target, { force: true });
    if (isUnreadableFile(error)) return UNSUPPORTED_TYPE;
    throw error;
  }
}

/** Opens the file only on the first read, because after a failed write an unread stream would stay open. */
async function* readLazily(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}

async function readHead({ path, name, size, pixelLimit }: ParseTask): Promise<Omit<ParsedFile, 'stripped'> | Refusal> {
  const handle = await open(path, 'r');
  const file: ReadableFile = {
    size,
    async read(from, length) {
      const buffer = new Uint8Array(Math.max(0, Math.min(length, size - from)));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
      return buffer.subarray(0, bytesRead);
    },
  };
  try {
    return await readUploadFacts(name, file, svgSanitizer, pixelLimit);
  } finally {
    await handle.close();
  }
}

async function write(
  content: AsyncIterable<Uint8Array>,
  target: string,
): Promise<{ readonly bytes: number; readonly checksum: Uint8Array }> {
  // Opens the file first: a write stream that fails while opening would create the file again after its removal.
  const file = await open(target, 'wx', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  const hashChunks = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      bytes += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(content, hashChunks, file.createWriteStream());
  return { bytes, checksum: new Uint8Array(hash.digest()) };
}

function readFacts({ bytes, name, mime }: ImageTask): ImageFacts | undefined {
  return imageFacts(fileType(bytes, name) ?? mime, bytes);
}

serveTasks(run);
