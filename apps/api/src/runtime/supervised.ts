import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.js';
import { startApiProcess } from './api-process.js';
import type { Metrics, MetricsText } from './metrics.js';
import { ROLE_VARIABLE, type MessageToProcess, type MessageToSupervisor } from './process-messages.js';
import { startWorkerProcess } from './worker-process.js';

const COLLECT_TIMEOUT_MS = 4_000;
/** Idle connections stay open for this time, in which a busy client sends its next call. */
const GRACE_MS = 2_000;
/** Minimum time before the process ends, because the supervisor may just have handed it another connection. */
const HAND_BACK_MS = 200;

/** Starts the part of the service that the supervisor assigned to this process. Returns the function that stops it. */
export async function startSupervised(config: Config): Promise<() => Promise<void>> {
  if (config.environment[ROLE_VARIABLE] === 'worker') {
    const stop = await startWorkerProcess(config, shareMetrics);
    onReplaced(() => {});
    send({ kind: 'ready', greeting: '' });
    return stop;
  }
  const api = await startApiProcess({ ...config, worker: false }, shareMetrics);
  let graceMs = 0;
  onReplaced(() => (graceMs = GRACE_MS));
  send({ kind: 'ready', greeting: api.greeting });
  return async () => {
    await Promise.all([api.stop(graceMs), pause(HAND_BACK_MS)]);
  };
}

function onReplaced(prepare: () => void): void {
  process.on('message', ({ kind }: MessageToProcess) => {
    if (kind !== 'replaced') return;
    prepare();
    process.kill(process.pid, 'SIGTERM');
  });
}

function send(message: MessageToSupervisor): void {
  if (process.connected) process.send?.(message);
}

let latestId = 0;

/** Lets the supervisor read the metrics of this process. Returns the metrics of all processes. */
function shareMetrics(own: Metrics): MetricsText {
  process.on('message', (message: MessageToProcess) => {
    if (message.kind !== 'measure') return;
    void own.json().then((metrics) => send({ kind: 'metrics', id: message.id, metrics }));
  });
  return {
    text: async () => {
      const { type, body } = await own.text();
      return { type, body: (await collect()) ?? body };
    },
  };
}

/** Returns `undefined` when the supervisor does not answer in time. */
function collect(): Promise<string | undefined> {
  latestId += 1;
  const id = latestId;
  return new Promise((resolve) => {
    const finish = (text: string | undefined): void => {
      clearTimeout(timer);
      process.off('message', onMessage);
      resolve(text);
    };
    const onMessage = (message: MessageToProcess): void => {
      if (message.kind === 'collected' && message.id === id) finish(message.text);
    };
    const timer = setTimeout(() => finish(undefined), COLLECT_TIMEOUT_MS);
    process.on('message', onMessage);
    send({ kind: 'collect', id });
  });
}
