import type { Response } from 'express';

/** Large enough for several of the largest pages. */
const MAX_UNSENT_BYTES_PER_APP = 128 * 1024 ** 2;
/** Smaller answers fit into the socket buffers and use no memory of the process. */
const MIN_COUNTED_BYTES = 64 * 1024;

/** Counts for each app the answer bytes that its clients have not read yet, because these bytes stay in memory. */
export class UnsentBytes {
  private readonly bytesByApp = new Map<number, number>();

  constructor(private readonly maxBytes = MAX_UNSENT_BYTES_PER_APP) {}

  isFull(appId: number): boolean {
    return (this.bytesByApp.get(appId) ?? 0) >= this.maxBytes;
  }

  /** Counts the bytes of a large answer until its response closes. */
  add(appId: number, response: Pick<Response, 'once' | 'closed'>, bytes: number): void {
    // A closed response emits no event that would end the count.
    if (bytes < MIN_COUNTED_BYTES || response.closed) return;
    this.change(appId, bytes);
    response.once('close', () => this.change(appId, -bytes));
  }

  private change(appId: number, bytes: number): void {
    const total = (this.bytesByApp.get(appId) ?? 0) + bytes;
    if (total > 0) this.bytesByApp.set(appId, total);
    else this.bytesByApp.delete(appId);
  }
}
