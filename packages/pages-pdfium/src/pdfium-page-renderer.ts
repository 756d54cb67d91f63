import { UnreadableFile, type PageRenderer, type RenderedPage } from '@back-office/media';
import { Worker } from 'node:worker_threads';

export interface PdfiumOptions {
  /**
   * Time limit per document, from the first requested page to the last. The thread is terminated when it is exceeded.
   */
  readonly timeoutMs?: number;
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
  | { readonly error: string };

const TIMEOUT_MS = 120_000;
const MEMORY_MEGABYTES = 512;
// Even when the sources run, the worker comes from the build: a thread cannot load TypeScript.
const WORKER = new URL('../dist/pdfium-worker.js', import.meta.url);

/**
 * Renders one document at a time by PDFium. Each document has its own thread, which isolates crashes and leaks. Pages
 * are rendered on request, so only one is in memory.
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
      // A caller that stops reading must not block the next document beyond the timeout.
      void thread.exit.then(release);
      for (let page = 1; page <= maxPages; page += 1) {
        const reply = await thread.request(page);
        if ('end' in reply) return;
        if ('unreadable' in reply) throw new UnreadableFile(reply.unreadable);
        if ('error' in reply) throw new Error(reply.error);
        yield reply.page;
      }
    } finally {
      this.threads.delete(thread);
      await thread.close();
      release();
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
  private failure: string | undefined;
  private resolveReply: ((reply: PdfiumReply) => void) | undefined;

  constructor(bytes: Uint8Array, { timeoutMs = TIMEOUT_MS, memoryMegabytes = MEMORY_MEGABYTES }: PdfiumOptions) {
    const task: PdfiumTask = { bytes, memoryMegabytes };
    this.worker = new Worker(WORKER, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
      // The output of the library stays out of the service's log.
      stdout: true,
      stderr: true,
    });
    this.exit = new Promise((resolve) => this.worker.once('exit', () => resolve()));
    this.worker.on('message', (reply: PdfiumReply) => this.resolveReply?.(reply));
    this.worker.on('error', (error) => this.fail(error.message));
    this.worker.on('exit', () => this.fail('The thread of the document ended'));
    this.timer = setTimeout(() => this.fail('The document took too long'), timeoutMs);
    this.timer.unref();
  }

  request(page: number): Promise<PdfiumReply> {
    return new Promise((resolve) => {
      if (this.failure !== undefined) return resolve({ error: this.failure });
      this.resolveReply = resolve;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      return this.worker.postMessage(page);
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.worker.terminate();
  }

  private fail(message: string): void {
    this.failure ??= message;
    this.resolveReply?.({ error: this.failure });
    void this.close();
  }
}
