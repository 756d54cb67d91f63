import cluster, { type Worker } from 'node:cluster';
import { on } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Registry } from 'prom-client';

/** Idle connections stay open for this time, in which a busy client sends its next call. */
const GRACE_MS = 2_000;
/** Minimum time before the process ends, because it may just have been handed another connection. */
const HAND_BACK_MS = 200;
/** Longer than the first process waits for the metrics of the others. */
const TOTAL_TIMEOUT_MS = 5_000;

/** Message between one of several processes and the process that started it. */
export type Message =
  | { readonly kind: 'ready'; readonly greeting: string }
  | { readonly kind: 'read metrics' }
  | { readonly kind: 'metrics'; readonly metrics: readonly object[] }
  | { readonly kind: 'read total' }
  | { readonly kind: 'total'; readonly text: string };

type MessageOf<Kind> = Extract<Message, { readonly kind: Kind }>;

/** Returns the next message of this kind. Throws when the signal aborts. */
export async function receive<Kind extends Message['kind']>(
  sender: Worker | NodeJS.Process,
  kind: Kind,
  signal?: AbortSignal,
): Promise<MessageOf<Kind>> {
  for await (const [message] of on(sender, 'message', { signal }) as AsyncIterable<[Message]>)
    if (message.kind === kind) return message as MessageOf<Kind>;
  throw new Error('The channel has no end');
}

/** Adds the metrics to the total of all processes. */
export function shareMetrics(registry: Registry): void {
  if (!cluster.isWorker) return;
  process.on('message', ({ kind }: Message) => {
    if (kind === 'read metrics') void registry.getMetricsAsJSON().then((metrics) => send({ kind: 'metrics', metrics }));
  });
}

/** Returns the metrics as text: the total of all processes if there are several, unless it is late. */
export async function readMetrics(registry: Registry): Promise<string> {
  if (!cluster.isWorker) return registry.metrics();
  const total = receive(process, 'total', AbortSignal.timeout(TOTAL_TIMEOUT_MS));
  send({ kind: 'read total' });
  return total.then(
    ({ text }) => text,
    () => registry.metrics(),
  );
}

/** Prints the greeting, or lets the process that started this one print it. */
export function reportReady(greeting: string): void {
  if (cluster.isWorker) send({ kind: 'ready', greeting });
  else process.stdout.write(greeting);
}

/** Stops the API. If other processes share the port, connections on their way to this one are served or handed back. */
export async function stopServing(api: { stop(graceMs?: number): Promise<void> }): Promise<void> {
  if (cluster.isWorker) await Promise.all([api.stop(GRACE_MS), pause(HAND_BACK_MS)]);
  else await api.stop();
}

function send(message: Message): void {
  if (process.connected) process.send?.(message);
}
