/** First message of a new child process. Every other message is a reply. */
export const READY = 'ready';

/** Runs the tasks of a {@link ProcessPool} in this child process, one at a time. The handler must not reject. */
export function serveTasks(handle: (task: never) => Promise<unknown>): void {
  // Only the service ends this process, even when a terminal signals both.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  // A regular exit would wait for native code.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.on('message', (task) => void handle(task as never).then((reply) => process.send?.(reply)));
  process.send?.(READY);
}
