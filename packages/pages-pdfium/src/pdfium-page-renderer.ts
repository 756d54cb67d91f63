import { CostlyFile, UnreadableFile, type PageRenderer, type RenderedPage } from '@back-office/media';
import { Worker } from 'node:worker_threads';

export interface PdfiumOptions {
  /** Timeout per document, from the first requested page to the last. A timeout terminates the thread. */
  readonly timeoutMs?: number;
  /** Maximum time per document that the thread works. Pauses of the caller do not count. */
  readonly maxWorkMs?: number;
  readonly memoryMegabytes?: number;
}

export interface PdfiumTask {
  readonly bytes: Uint8Array;
  readonly memoryMegabytes: number;
}

export type PdfiumReply =
  | { readonly page: RenderedPage }
  | { readonly end: true }
  | { readonly unreadable: string }
  | { readonly exceededLimit: string }
  | { readonly error: string };

const TIMEOUT_MS = 120_000;
const MAX_WORK_MS = 30_000;
const MEMORY_MEGABYTES = 512;
// Loads the compiled worker even when the service runs from its sources, because a thread cannot load TypeScript.
const WORKER = new URL('../dist/pdfium-worker.js', import.meta.url);

/**
 * Renders one document at a time with PDFium. Each document has its own thread, which isolates crashes and leaks. Pages
 * are rendered on request, so only one page is in memory.
 */
export class PdfiumPageRenderer implements PageRenderer {
  private queue: Promise<unknown> = Promise.resolve();
  private readonly threads = new Set<PdfiumThread>();

  constructor(private readonly options: PdfiumOptions = {}) {}

  async *pages(bytes: Uint8Array, maxPages: number): AsyncGenerator<RenderedPage> {
    const { turn: previousDone, done: release } = this.joinQueue();
    await previousDone;
    const thread = new PdfiumThread(bytes, this.options);
    this.threads.add(thread);
    try {
      // If the caller stops reading, the next document waits only until the timeout ends the thread.
      void thread.exit.then(release);
      for (let page = 1; page <= maxPages; page += 1) {
        const reply = await thread.request(page);
        if ('end' in reply) return;
        if ('unreadable' in reply) throw new UnreadableFile(reply.unreadable);
        if ('exceededLimit' in reply) throw new CostlyFile(reply.exceededLimit);
        if ('error' in reply) throw new Error(reply.error);
        yield reply.page;
      }
    } finally {
      this.threads.delete(thread);
      await thread.close();
    }
  }

  /** Documents in progress end with an error. */
  async close(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.close()));
  }

  private joinQueue(): { readonly turn: Promise<unknown>; readonly done: () => void } {
    const previousDone = this.queue;
    let release = (): void => {};
    this.queue = new Promise<void>((resolve) => (release = resolve));
    return { turn: previousDone, done: release };
  }
}

class PdfiumThread {
  readonly exit: Promise<void>;
  private readonly worker: Worker;
  private readonly timer: NodeJS.Timeout;
  private failure: PdfiumReply | undefined;
  private remainingWorkMs: number;
  private resolveReply: ((reply: PdfiumReply) => void) | undefined;

  constructor(bytes: Uint8Array, options: PdfiumOptions) {
    const { timeoutMs = TIMEOUT_MS, maxWorkMs = MAX_WORK_MS, memoryMegabytes = MEMORY_MEGABYTES } = options;
    this.remainingWorkMs = maxWorkMs;
    const task: PdfiumTask = { bytes, memoryMegabytes };
    this.worker = new Worker(WORKER, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
      // Keeps the output of the library out of the service's log.
      stdout: true,
      stderr: true,
    });
    this.exit = new Promise((resolve) => this.worker.once('exit', () => resolve()));
    this.worker.on('message', (reply: PdfiumReply) => this.resolveReply?.(reply));
    this.worker.on('error', (error) => this.fail({ error: error.message }));
    this.worker.on('exit', () => this.fail({ error: 'The thread of the document ended' }));
    this.timer = setTimeout(() => this.fail({ error: 'The document took too long' }), timeoutMs);
    this.timer.unref();
  }

  async request(page: number): Promise<PdfiumReply> {
    if (this.failure !== undefined) return this.failure;
    const startMs = performance.now();
    const timer = setTimeout(() => this.fail({ exceededLimit: 'The document takes too long' }), this.remainingWorkMs);
    try {
      return await new Promise((resolve) => {
        this.resolveReply = resolve;
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        this.worker.postMessage(page);
      });
    } finally {
      clearTimeout(timer);
      this.remainingWorkMs -= performance.now() - startMs;
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.worker.terminate();
  }

  private fail(failure: PdfiumReply): void {
    this.failure ??= failure;
    this.resolveReply?.(this.failure);
    void this.close();
  }
}
