import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.js';
import { openTelemetry } from '../telemetry/index.js';
import { loggerOf, type Logger } from './logger.js';
import {
  ROLE_VARIABLE,
  type MessageToProcess,
  type MessageToSupervisor,
  type ProcessRole,
} from './process-messages.js';
import { ProcessMetrics } from './process-metrics.js';

const MIN_RESTART_MS = 200;
const MAX_RESTART_MS = 30_000;
/** If a process ends this long after its start or later, its restart has the shortest delay again. */
const STABLE_MS = 60_000;
/** Longer than a process needs to finish its calls and jobs and to close its adapters. */
const END_TIMEOUT_MS = 150_000;

/** The place of one process. When the process ends, a new process takes the place. */
interface Slot {
  readonly role: ProcessRole;
  current: Worker | undefined;
  startedAtMs: number;
  /** Number of restarts in a row after processes that were not stable. */
  failures: number;
  restart: NodeJS.Timeout | undefined;
  isReplacing: boolean;
}

type Environment = Readonly<Record<string, string>>;

const WITHOUT_DEMO: Environment = { DEMO: 'false' };

/** A process that became ready has a greeting; one that ended before that has an exit code or a signal. */
interface Launch {
  readonly greeting?: string;
  readonly pid?: number | undefined;
  readonly exitCode?: number;
  readonly signal?: string;
}

/**
 * Starts the API processes, and a process for the background work. Returns the function that stops them. If the first
 * process ends before it is ready, this process exits with the same exit code.
 */
export async function startSupervisor(config: Config, apiProcesses: number): Promise<() => Promise<void>> {
  const telemetry = await openTelemetry(config);
  const logger = loggerOf(config, telemetry);
  const supervisor = new Supervisor(rolesOf(config, apiProcesses), logger);
  await supervisor.start();
  telemetry?.start(() => supervisor.metrics.json(), logger);
  return async () => {
    await supervisor.stop();
    await telemetry?.stop();
  };
}

function rolesOf({ worker }: Config, apiProcesses: number): ProcessRole[] {
  return [...Array<ProcessRole>(apiProcesses).fill('api'), ...(worker ? (['worker'] as const) : [])];
}

class Supervisor {
  private readonly slots: readonly Slot[];
  readonly metrics = new ProcessMetrics(() => this.slots);
  private isStopping = false;
  /** Also true until the first start, when there is nothing to replace. */
  private isReloading = true;

  constructor(
    roles: readonly ProcessRole[],
    private readonly logger: Logger,
  ) {
    this.slots = roles.map((role) => ({
      role,
      current: undefined,
      startedAtMs: 0,
      failures: 0,
      restart: undefined,
      isReplacing: false,
    }));
  }

  async start(): Promise<void> {
    cluster.on('message', (worker, message: MessageToSupervisor) => this.answer(worker, message));
    process.on('SIGHUP', () => void this.reload());
    const [first, ...others] = this.slots as [Slot, ...Slot[]];
    // The first process migrates the database and creates the demo app. A bad configuration ends it with one line.
    const { greeting, exitCode } = await this.launch(first, {});
    if (greeting === undefined) process.exit(exitCode === 0 ? 1 : exitCode);
    await Promise.all(others.map((slot) => this.launchUntilReady(slot)));
    this.isReloading = false;
    const pids = this.slots.map(({ role, current }) => ({ role, pid: current?.process.pid }));
    this.logger.info({ processes: pids }, 'supervising');
    process.stdout.write(greeting);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    for (const { restart } of this.slots) clearTimeout(restart);
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map(end));
  }

  /** Replaces one process after the other. Keeps the old ones if a new one does not start. */
  private async reload(): Promise<void> {
    if (this.isReloading || this.isStopping) return;
    this.isReloading = true;
    this.logger.info('reloading');
    const hasReplacedAll = await this.replaceAll();
    this.isReloading = false;
    if (hasReplacedAll) this.logger.info('reloaded');
    else if (!this.isStopping) this.logger.error('reload stopped, because a new process did not start');
  }

  private async replaceAll(): Promise<boolean> {
    for (const slot of this.slots) {
      const previous = slot.current;
      slot.isReplacing = true;
      clearTimeout(slot.restart);
      const launch = await this.launch(slot);
      slot.isReplacing = false;
      if (this.isStopping) return false;
      if (launch.greeting === undefined) {
        if (slot.current === undefined) this.scheduleRestart(slot, launch);
        return false;
      }
      if (previous) await retire(previous);
    }
    return true;
  }

  private async launchUntilReady(slot: Slot): Promise<void> {
    const launch = await this.launch(slot);
    if (launch.greeting === undefined) this.scheduleRestart(slot, launch);
  }

  private launch(slot: Slot, environment: Environment = WITHOUT_DEMO): Promise<Launch> {
    const worker = cluster.fork({ ...environment, [ROLE_VARIABLE]: slot.role });
    slot.startedAtMs = performance.now();
    return new Promise((resolve) => {
      worker.on('message', (message: MessageToSupervisor) => {
        if (message.kind !== 'ready') return;
        slot.current = worker;
        resolve({ greeting: message.greeting });
      });
      worker.on('exit', (exitCode, signal) => {
        const ended = { pid: worker.process.pid, exitCode, signal };
        resolve(ended);
        if (slot.current !== worker) return;
        slot.current = undefined;
        if (!slot.isReplacing) this.scheduleRestart(slot, ended);
      });
    });
  }

  private scheduleRestart(slot: Slot, { pid, exitCode, signal }: Launch): void {
    if (this.isStopping) return;
    if (performance.now() - slot.startedAtMs >= STABLE_MS) slot.failures = 0;
    const delayMs = Math.min(MIN_RESTART_MS * 2 ** slot.failures, MAX_RESTART_MS);
    slot.failures += 1;
    this.metrics.countRestart(slot.role);
    this.logger.error({ role: slot.role, pid, code: exitCode, signal, restart_in_ms: delayMs }, 'process ended');
    slot.restart = setTimeout(() => void this.launchUntilReady(slot), delayMs);
  }

  private answer(worker: Worker, message: MessageToSupervisor): void {
    if (message.kind === 'metrics') this.metrics.receive(message.id, message.metrics);
    if (message.kind === 'collect')
      void this.metrics.collect().then((text) => {
        const answer: MessageToProcess = { kind: 'collected', id: message.id, text };
        if (worker.isConnected()) worker.send(answer);
      });
  }
}

/** Lets the process end after the calls of its clients. */
function retire(worker: Worker): Promise<void> {
  const message: MessageToProcess = { kind: 'replaced' };
  return waitForEnd(worker, () => (worker.isConnected() ? worker.send(message) : worker.process.kill('SIGTERM')));
}

function end(worker: Worker): Promise<void> {
  return waitForEnd(worker, () => worker.process.kill('SIGTERM'));
}

async function waitForEnd(worker: Worker, request: () => void): Promise<void> {
  if (worker.isDead()) return;
  const exited = once(worker, 'exit');
  request();
  await Promise.race([exited, pause(END_TIMEOUT_MS, undefined, { ref: false })]);
  if (!worker.isDead()) worker.process.kill('SIGKILL');
}
