import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { Config } from '../config.js';
import { loggerOf, type Logger } from './logger.js';
import { receive, type Message } from './process-member.js';

const MIN_RESTART_MS = 200;
const MAX_RESTART_MS = 30_000;
/** If a process ends this long after its start or later, its restart has the shortest delay again. */
const STABLE_MS = 60_000;
/** Longer than a process needs to finish its calls and jobs and to close its adapters. */
const END_TIMEOUT_MS = 150_000;
const ANSWER_TIMEOUT_MS = 2_000;

type Role = 'api' | 'worker';
type Environment = Readonly<Record<string, string>>;

const ENTRY_POINTS: Readonly<Record<Role, string>> = { api: 'main.js', worker: 'worker.js' };
const SINGLE_API: Environment = { PROCESSES: '1', WORKER: 'off' };
const WITHOUT_DEMO: Environment = { ...SINGLE_API, DEMO: 'false' };

/** When the process of a place ends, a new process takes the place. */
interface Place {
  readonly role: Role;
  /** The process that is ready. */
  current?: Worker | undefined;
  /** Resolves to the greeting of the process that is starting; to `undefined` if it ends before it is ready. */
  starting?: Promise<string | undefined> | undefined;
  /** Number of restarts in a row after processes that were not stable. */
  failures: number;
}

/**
 * Starts the API processes, and a process for the background work. Returns the function that stops them. If the first
 * process ends before it is ready, this process exits, too.
 */
export async function startProcesses(config: Config, apiProcesses: number): Promise<() => Promise<void>> {
  const roles = [...Array<Role>(apiProcesses).fill('api'), ...(config.worker ? (['worker'] as const) : [])];
  const processes = new Processes(roles, loggerOf(config));
  await processes.start();
  return () => processes.stop();
}

class Processes {
  private readonly places: readonly Place[];
  private readonly metrics = new Registry();
  private readonly restarts = new Counter({
    name: 'process_restarts_total',
    help: 'Processes that ended without being asked to, by role',
    labelNames: ['role'],
    registers: [this.metrics],
  });
  private isRunning = false;
  private isReloading = false;

  constructor(
    roles: readonly Role[],
    private readonly logger: Logger,
  ) {
    this.places = roles.map((role) => ({ role, failures: 0 }));
    const gauge: Gauge = new Gauge({
      name: 'processes_ready',
      help: 'Processes that are ready, by role',
      labelNames: ['role'],
      registers: [this.metrics],
      collect: () => {
        gauge.reset();
        for (const { role, current } of this.places) gauge.inc({ role }, current === undefined ? 0 : 1);
      },
    });
  }

  async start(): Promise<void> {
    cluster.on('message', (worker, { kind }: Message) => {
      if (kind === 'read total')
        this.sendTotal(worker).catch((error: unknown) => this.logger.error({ err: error }, 'metrics have no total'));
    });
    process.on('SIGHUP', () => void this.reload());
    const [first, ...others] = this.places as [Place, ...Place[]];
    // The first process migrates the database and creates the demo app. A bad configuration ends it with one line.
    const greeting = await this.launch(first, SINGLE_API);
    if (greeting === undefined) process.exit(1);
    this.isRunning = true;
    await Promise.all(others.map((place) => this.launch(place)));
    const pids = this.places.map(({ role, current }) => ({ role, pid: current?.process.pid }));
    this.logger.info({ processes: pids }, 'all processes started');
    process.stdout.write(greeting);
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map(end));
  }

  /** Replaces one process after the other. Keeps the old ones if a new one does not start. */
  private async reload(): Promise<void> {
    if (this.isReloading || !this.isRunning) return;
    this.isReloading = true;
    this.logger.info('reloading');
    const hasReplacedAll = await this.replaceAll();
    this.isReloading = false;
    if (hasReplacedAll) this.logger.info('reloaded');
    else if (this.isRunning) this.logger.error('reload stopped, because a new process did not start');
  }

  private async replaceAll(): Promise<boolean> {
    for (const place of this.places) {
      const previous = place.current;
      const greeting = await this.launch(place);
      if (greeting === undefined || !this.isRunning) return false;
      if (previous) await end(previous);
    }
    return true;
  }

  /** Starts a process for the place, unless one is starting already. */
  private launch(place: Place, environment = WITHOUT_DEMO): Promise<string | undefined> {
    place.starting ??= this.fork(place, environment);
    return place.starting;
  }

  private async fork(place: Place, environment: Environment): Promise<string | undefined> {
    cluster.setupPrimary({ exec: fileURLToPath(new URL(`../${ENTRY_POINTS[place.role]}`, import.meta.url)) });
    const worker = cluster.fork(environment);
    const startedAtMs = performance.now();
    const ended = endOf(worker);
    const ready = receive(worker, 'ready').then(({ greeting: text }) => text);
    const greeting = await Promise.race([ready, ended.then(() => undefined)]);
    place.starting = undefined;
    if (greeting !== undefined) place.current = worker;
    void ended.then(() => this.restart(place, worker, performance.now() - startedAtMs));
    return greeting;
  }

  private async restart(place: Place, ended: Worker, lifeMs: number): Promise<void> {
    if (place.current === ended) place.current = undefined;
    if (!this.isRunning || ENDINGS.has(ended) || place.current || place.starting) return;
    if (lifeMs >= STABLE_MS) place.failures = 0;
    const delayMs = Math.min(MIN_RESTART_MS * 2 ** place.failures, MAX_RESTART_MS);
    place.failures += 1;
    const { role } = place;
    this.restarts.inc({ role });
    const { pid, exitCode, signalCode } = ended.process;
    this.logger.error({ role, pid, code: exitCode, signal: signalCode, restart_in_ms: delayMs }, 'process ended');
    await pause(delayMs);
    if (this.isRunning && !place.current) await this.launch(place);
  }

  private async sendTotal(worker: Worker): Promise<void> {
    const members = this.places.flatMap(({ current }) => current ?? []);
    const answers = await Promise.allSettled(members.map(metricsOf));
    const received = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const total = AggregatorRegistry.aggregate([...received, await this.metrics.getMetricsAsJSON()]);
    send(worker, { kind: 'total', text: await total.metrics() });
  }
}

/** Throws if the process does not answer in time. */
async function metricsOf(worker: Worker): Promise<readonly object[]> {
  const answer = receive(worker, 'metrics', AbortSignal.timeout(ANSWER_TIMEOUT_MS));
  send(worker, { kind: 'read metrics' });
  return (await answer).metrics;
}

function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message);
}

/** Resolves when the process has ended, or could not start. */
function endOf(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    // A message to a process that has just ended causes an error, too, before `exit`.
    worker.on('error', () => worker.isDead() && resolve());
  });
}

/** Processes that were told to end. */
const ENDINGS = new WeakMap<Worker, Promise<void>>();

/** Ends a process. Never sends SIGTERM twice, because the second one would cut the calls in progress. */
function end(worker: Worker): Promise<void> {
  const ending = ENDINGS.get(worker) ?? terminate(worker);
  ENDINGS.set(worker, ending);
  return ending;
}

async function terminate(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = endOf(worker);
  worker.process.kill('SIGTERM');
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), END_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}
