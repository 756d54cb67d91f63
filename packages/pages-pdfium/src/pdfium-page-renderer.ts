import { UnreadableFile, type PageRenderer, type RenderedPage } from '@back-office/media';
import { Worker } from 'node:worker_threads';

export interface PdfiumOptions {
  /** Of one document, from its first page asked for to its last; after it its thread is ended. */
  readonly timeoutMs?: number;
  /** Of what PDFium holds of one document, with its fonts and pictures. */
  readonly memoryMegabytes?: number;
}

/** What a thread is begun with. */
export interface PdfiumTask {
  readonly bytes: Uint8Array;
  readonly memoryMegabytes: number;
}

export type PdfiumAnswer =
  | { readonly page: RenderedPage }
  | { readonly end: true }
  | { readonly unreadable: string }
  | { readonly error: string };

const TIMEOUT_MS = 120_000;
const MEMORY_MEGABYTES = 512;
// From the sources as well as from the build: a thread runs what Node can read.
const WORKER = new URL('../dist/pdfium-worker.js', import.meta.url);

/**
 * Pages by PDFium, one document at a time, each in a thread of its own: what a document makes of it is gone with it. The
 * thread renders a page when it is asked for the next one, so that one page is held at a time.
 */
export class PdfiumPageRenderer implements PageRenderer {
  private last: Promise<unknown> = Promise.resolve();
  private readonly threads = new Set<PdfiumThread>();

  constructor(private readonly options: PdfiumOptions = {}) {}

  async *pages(bytes: Uint8Array, most: number): AsyncGenerator<RenderedPage> {
    const { turn, done } = this.turn();
    await turn;
    const thread = new PdfiumThread(bytes, this.options);
    this.threads.add(thread);
    try {
      // Who does not go on asking does not keep the next one waiting for ever either.
      void thread.ended.then(done);
      for (let page = 1; page <= most; page += 1) {
        const answer = await thread.ask(page);
        if ('end' in answer) return;
        if ('unreadable' in answer) throw new UnreadableFile(answer.unreadable);
        if ('error' in answer) throw new Error(answer.error);
        yield answer.page;
      }
    } finally {
      this.threads.delete(thread);
      await thread.close();
      done();
    }
  }

  /** Documents that are being rendered end with an error. */
  async close(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.close()));
  }

  private turn(): { readonly turn: Promise<unknown>; readonly done: () => void } {
    const turn = this.last;
    let done = (): void => {};
    this.last = new Promise<void>((resolve) => (done = resolve));
    return { turn, done };
  }
}

class PdfiumThread {
  readonly ended: Promise<void>;
  private readonly worker: Worker;
  private readonly timer: NodeJS.Timeout;
  private failure: string | undefined;
  private answered: ((answer: PdfiumAnswer) => void) | undefined;

  constructor(bytes: Uint8Array, { timeoutMs = TIMEOUT_MS, memoryMegabytes = MEMORY_MEGABYTES }: PdfiumOptions) {
    const task: PdfiumTask = { bytes, memoryMegabytes };
    this.worker = new Worker(WORKER, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
      // A library of a thread has nothing to say on the streams of the service.
      stdout: true,
      stderr: true,
    });
    this.ended = new Promise((resolve) => this.worker.once('exit', () => resolve()));
    this.worker.on('message', (answer: PdfiumAnswer) => this.answered?.(answer));
    this.worker.on('error', (error) => this.fail(error.message));
    this.worker.on('exit', () => this.fail('The thread of the document ended'));
    this.timer = setTimeout(() => this.fail('The document took too long'), timeoutMs);
    this.timer.unref();
  }

  ask(page: number): Promise<PdfiumAnswer> {
    return new Promise((resolve) => {
      if (this.failure !== undefined) return resolve({ error: this.failure });
      this.answered = resolve;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      return this.worker.postMessage(page);
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.worker.terminate();
  }

  /** The thread may be lost in a page. */
  private fail(message: string): void {
    this.failure ??= message;
    this.answered?.({ error: this.failure });
    void this.close();
  }
}
