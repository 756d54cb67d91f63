import { isRefusal, Turns, type Refusal } from '@back-office/kernel';
import {
  MAX_IMAGE_HEADER_BYTES,
  UNSUPPORTED_TYPE,
  type ImageFacts,
  type ParsedUpload,
  type StoredImage,
  type UploadParser,
  type UploadToParse,
} from '@back-office/media';
import { ProcessPool, TaskCrashed, TaskExceededLimit } from './processes/index.js';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { ParserReply, ParserTask } from './messages.js';

export interface IsolatedParserOptions {
  /** Maximum number of processes; a process starts when it is needed. One app uses at most half of them. */
  readonly processes?: number;
  /** Fixed part of the CPU limit per upload. The limit grows with the bytes of the upload. */
  readonly maxCpuMs?: number;
  readonly minBytesPerCpuMs?: number;
  readonly maxMemoryMegabytes?: number;
  /** An unused process ends after this time. */
  readonly idleMs?: number;
}

const DEFAULT_PROCESSES = 2;
const MAX_CPU_MS = 2_000;
/** Half the speed of the slowest parser, which sanitizes drawings. */
const MIN_BYTES_PER_CPU_MS = 1_000;
const MAX_ELAPSED_PER_CPU_TIME = 20;
const MAX_MEMORY_MEGABYTES = 256;
const DEFAULT_IDLE_MS = 60_000;
// Loads the compiled child even when the service runs from its sources, because a process cannot load TypeScript.
const ENTRY = new URL('../dist/parser-child.js', import.meta.url);

/** Parses uploads in child processes with limits. A process that exceeds a limit is terminated and replaced. */
export class IsolatedUploadParser implements UploadParser {
  private readonly pool: ProcessPool<ParserTask, ParserReply>;
  private readonly turns: Turns<number>;

  constructor(private readonly options: IsolatedParserOptions = {}) {
    const {
      processes = DEFAULT_PROCESSES,
      maxMemoryMegabytes = MAX_MEMORY_MEGABYTES,
      idleMs = DEFAULT_IDLE_MS,
    } = options;
    this.pool = new ProcessPool({ entry: ENTRY, maxMemoryMegabytes, idleMs });
    this.turns = new Turns(processes, Math.max(1, Math.floor(processes / 2)));
  }

  async parse(appId: number, upload: UploadToParse): Promise<ParsedUpload | Refusal> {
    const { path, name, size, pixelLimit } = upload;
    const target = `${path}.${randomUUID()}`;
    try {
      const reply = await this.run(appId, { kind: 'parse', path, name, size, pixelLimit, target }, size);
      if (!('parsed' in reply)) throw new Error('Unexpected reply of the parser');
      const { parsed } = reply;
      if (isRefusal(parsed)) return parsed;
      return { ...parsed, stripped: parsed.stripped && { ...parsed.stripped, path: target } };
    } catch (error) {
      await rm(target, { force: true });
      if (isCausedByFile(error)) return UNSUPPORTED_TYPE;
      throw error;
    }
  }

  async readImageFacts(appId: number, { bytes, name, mime }: StoredImage): Promise<ImageFacts | undefined> {
    const header = bytes.subarray(0, MAX_IMAGE_HEADER_BYTES);
    try {
      const reply = await this.run(appId, { kind: 'image', bytes: header, name, mime }, header.length);
      return 'facts' in reply ? reply.facts : undefined;
    } catch (error) {
      if (isCausedByFile(error)) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private async run(appId: number, task: ParserTask, bytes: number): Promise<ParserReply> {
    const { maxCpuMs: baseMs = MAX_CPU_MS, minBytesPerCpuMs = MIN_BYTES_PER_CPU_MS } = this.options;
    const maxCpuMs = baseMs + bytes / minBytesPerCpuMs;
    const limits = { maxCpuMs, maxElapsedMs: maxCpuMs * MAX_ELAPSED_PER_CPU_TIME };
    const reply = await this.turns.run(appId, () => this.pool.run(task, limits));
    if ('failure' in reply) throw new Error(reply.failure);
    return reply;
  }
}

function isCausedByFile(error: unknown): boolean {
  return error instanceof TaskExceededLimit || error instanceof TaskCrashed;
}
