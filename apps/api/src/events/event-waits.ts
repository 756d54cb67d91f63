import type { Request } from 'express';

/** Pauses calls that wait for events. A pause ends early when the client disconnects or the process stops. */
export class EventWaits {
  private readonly stopping = new AbortController();

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Waits for `ms`. Returns whether the call may wait again. */
  async pause(ms: number, { socket }: Pick<Request, 'socket'>): Promise<boolean> {
    if (this.isStopping || socket.destroyed) return false;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        socket.off('close', end);
        this.stopping.signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      socket.once('close', end);
      this.stopping.signal.addEventListener('abort', end, { once: true });
    });
    return !this.isStopping && !socket.destroyed;
  }

  stop(): void {
    this.stopping.abort();
  }
}
