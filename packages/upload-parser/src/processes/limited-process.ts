import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readProcessUsage } from './process-usage.js';
import { READY } from './serve-tasks.js';

export interface TaskLimits {
  readonly maxCpuMs: number;
  /** Maximum elapsed time. This limit ends a process that waits for a disk without using CPU time. */
  readonly maxElapsedMs: number;
}

export interface ProcessOptions {
  /** Module that calls `serveTasks`. */
  readonly entry: URL;
  readonly maxMemoryMegabytes: number;
}

/** The task has exceeded its limit of CPU time or memory. */
export class TaskExceededLimit extends Error {}

/** The process has ended by itself, for example because V8's heap was full. */
export class TaskCrashed extends Error {}

const CHECK_MS = 100;
/** Share of the memory limit that V8's heap may use; the rest is for buffers and Node itself. */
const HEAP_SHARE = 0.6;

interface RunningTask<Reply> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** A process that runs one task at a time. Close the process after an error. */
export class LimitedProcess<Task extends object, Reply> {
  private readonly child: ChildProcess;
  private readonly whenReady: Promise<void>;
  private runningTask: RunningTask<Reply> | undefined;

  constructor(private readonly options: ProcessOptions) {
    this.child = fork(fileURLToPath(options.entry), {
      // The process parses untrusted bytes, so it gets no secrets from the environment.
      env: {},
      execArgv: [`--max-old-space-size=${Math.ceil(options.maxMemoryMegabytes * HEAP_SHARE)}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.whenReady = new Promise((resolve, reject) => {
      this.child.on('message', (message: typeof READY | Reply) => {
        if (message !== READY) return this.runningTask?.resolve(message);
        return resolve();
      });
      this.child.on('error', (error) => this.fail(error, reject));
      this.child.on('exit', (code, signal) => this.fail(errorOf(code, signal), reject));
    });
    this.whenReady.catch(() => {});
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null || !this.child.connected;
  }

  /** Resident memory; 0 when the system does not report it. */
  get memoryMegabytes(): number {
    return readProcessUsage(this.child.pid ?? 0)?.memoryMegabytes ?? 0;
  }

  /**
   * Rejects with {@link TaskExceededLimit} or {@link TaskCrashed}. Rejects with another error when the process cannot
   * start or is killed.
   */
  async run(task: Task, limits: TaskLimits): Promise<Reply> {
    this.child.ref();
    this.child.channel?.ref();
    await this.whenReady;
    const timers = this.watch(limits);
    try {
      return await new Promise<Reply>((resolve, reject) => {
        this.runningTask = { resolve, reject };
        this.child.send(task, (error) => error && reject(error));
      });
    } finally {
      for (const timer of timers) clearTimeout(timer);
      this.runningTask = undefined;
      this.child.unref();
      this.child.channel?.unref();
    }
  }

  async close(): Promise<void> {
    this.runningTask?.reject(new Error('The process is closed'));
    if (this.child.pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.ref();
    this.child.kill('SIGKILL');
    await exit;
  }

  private watch({ maxCpuMs, maxElapsedMs }: TaskLimits): readonly NodeJS.Timeout[] {
    const pid = this.child.pid ?? 0;
    const startMs = readProcessUsage(pid)?.cpuMs ?? 0;
    const checkUsage = (): void => {
      const { cpuMs = 0, memoryMegabytes = 0 } = readProcessUsage(pid) ?? {};
      if (cpuMs - startMs > maxCpuMs) this.runningTask?.reject(new TaskExceededLimit('Too much CPU time'));
      if (memoryMegabytes > this.options.maxMemoryMegabytes)
        this.runningTask?.reject(new TaskExceededLimit('Too much memory'));
    };
    const giveUp = (): void => this.runningTask?.reject(new Error('The task took too long'));
    return [setInterval(checkUsage, CHECK_MS), setTimeout(giveUp, maxElapsedMs)];
  }

  private fail(error: Error, rejectReady: (error: Error) => void): void {
    rejectReady(error);
    this.runningTask?.reject(error);
  }
}

/** SIGKILL and SIGTERM come from outside, so they do not mean that the task has crashed. */
function errorOf(code: number | null, signal: NodeJS.Signals | null): Error {
  const isKilled = signal === 'SIGKILL' || signal === 'SIGTERM';
  return isKilled ? new Error('The process was killed') : new TaskCrashed(`The process ended with ${signal ?? code}`);
}
