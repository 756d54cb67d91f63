import { LimitedProcess, type ProcessOptions, type TaskLimits } from './limited-process.js';

const MAX_KEPT_MEMORY_SHARE = 0.5;

export interface PoolOptions extends ProcessOptions {
  /** An unused process ends after this time. */
  readonly idleMs: number;
}

interface IdleProcess<Task extends object, Reply> {
  readonly process: LimitedProcess<Task, Reply>;
  readonly timer: NodeJS.Timeout;
}

/** Runs each task in a child process and keeps idle processes for later tasks. Callers limit the concurrency. */
export class ProcessPool<Task extends object, Reply> {
  private readonly idleProcesses: IdleProcess<Task, Reply>[] = [];
  private readonly processes = new Set<LimitedProcess<Task, Reply>>();
  private isClosed = false;

  constructor(private readonly options: PoolOptions) {}

  /**
   * Rejects with `TaskExceededLimit` when the task exceeds its limit of CPU time or memory, and with `TaskCrashed` when
   * its process ends by itself. In both cases, a new process replaces the old one. Rejects with another error when the
   * task exceeds its limit of elapsed time, when no process can start, or when the pool is closed. Outside Linux, CPU
   * time and memory are not limited.
   */
  async run(task: Task, limits: TaskLimits): Promise<Reply> {
    const process = this.takeProcess();
    try {
      const reply = await process.run(task, limits);
      await this.release(process);
      return reply;
    } catch (error) {
      await this.end(process);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { timer } of this.idleProcesses.splice(0)) clearTimeout(timer);
    await Promise.all([...this.processes].map((process) => process.close()));
  }

  private takeProcess(): LimitedProcess<Task, Reply> {
    if (this.isClosed) throw new Error('The pool is closed');
    for (let idle = this.idleProcesses.pop(); idle; idle = this.idleProcesses.pop()) {
      clearTimeout(idle.timer);
      if (!idle.process.hasEnded) return idle.process;
      this.processes.delete(idle.process);
    }
    const process = new LimitedProcess<Task, Reply>(this.options);
    this.processes.add(process);
    return process;
  }

  /**
   * Keeps the process for later tasks. Ends it instead if it uses much memory, because the next task would soon reach
   * the limit.
   */
  private async release(process: LimitedProcess<Task, Reply>): Promise<void> {
    if (this.isClosed) return;
    if (process.memoryMegabytes > this.options.maxMemoryMegabytes * MAX_KEPT_MEMORY_SHARE) return this.end(process);
    const idle: IdleProcess<Task, Reply> = {
      process,
      timer: setTimeout(() => this.endIdle(idle), this.options.idleMs),
    };
    idle.timer.unref();
    this.idleProcesses.push(idle);
  }

  private endIdle(idle: IdleProcess<Task, Reply>): void {
    this.idleProcesses.splice(this.idleProcesses.indexOf(idle), 1);
    void this.end(idle.process);
  }

  private async end(process: LimitedProcess<Task, Reply>): Promise<void> {
    this.processes.delete(process);
    await process.close();
  }
}
