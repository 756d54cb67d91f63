/** First message of a new child process. Every other message is a reply. */
export const READY = 'ready';

/** Runs the tasks of a {@link ProcessPool} in this child process, one at a time. The handler must not reject. */
export function serveTasks(handle: (task: never) => Promise<unknown>): void {
  // Ignores signals, because a terminal signals all processes, but only the service may end this one.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  // Kills the process, because a regular exit would wait for native code.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.on('message', (task) => void handle(task as never).then((reply) => process.send?.(reply)));
  process.send?.(READY);
}
