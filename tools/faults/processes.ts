import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SeededBug } from './seeded-bug-list.js';

const BUILD_FOLDER = fileURLToPath(new URL('../../apps/api/dist/', import.meta.url));

export class ServiceProcess {
  private child: ChildProcess | undefined;
  private recentOutput = '';
  private readonly bugLines: string[] = [];

  constructor(
    private readonly script: 'main' | 'worker',
    private readonly environment: Readonly<Record<string, string>>,
    private readonly port: number,
    private readonly seededBug?: Pick<SeededBug, 'changes'>,
  ) {}

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get output(): string {
    return this.recentOutput;
  }

  async start(): Promise<void> {
    const seedOptions = this.seededBug === undefined ? [] : ['--import', hookOf(this.seededBug)];
    this.child = spawn(process.execPath, [...seedOptions, `${BUILD_FOLDER}${this.script}.js`], {
      env: { ...this.environment, PORT: String(this.port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { child } = this;
    process.once('exit', () => child.kill('SIGKILL'));
    const handleOutput = (chunk: Buffer): void => {
      this.recentOutput = (this.recentOutput + chunk.toString()).slice(-20_000);
      for (const line of chunk.toString().split('\n')) if (isBugLine(line)) this.bugLines.push(line.slice(0, 400));
    };
    child.stdout?.on('data', handleOutput);
    child.stderr?.on('data', handleOutput);
    if (this.script === 'main') await this.untilReady(30_000);
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  /** Returns failures of class `bug` that the process has logged since the last call. */
  takeBugs(): string[] {
    return this.bugLines.splice(0);
  }

  /** Sends a signal and waits for the exit. Returns the exit code, or `null` when the signal ended the process. */
  async signal(signal: NodeJS.Signals): Promise<number | null> {
    const { child } = this;
    if (child === undefined || !this.isRunning) return child?.exitCode ?? null;
    const exit = once(child, 'exit') as Promise<[number | null]>;
    child.kill(signal);
    return (await exit)[0];
  }

  /** Waits until the process is ready. Returns the elapsed milliseconds; throws after the timeout. */
  async untilReady(timeoutMs: number): Promise<number> {
    const startMs = performance.now();
    while (performance.now() - startMs < timeoutMs) {
      if (await this.isReady()) return performance.now() - startMs;
      if (!this.isRunning) throw new Error(`The service ended: ${this.recentOutput}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`Not ready within ${timeoutMs} ms`);
  }

  async isReady(): Promise<boolean> {
    try {
      const answer = await fetch(`${this.origin}/health/ready`, { signal: AbortSignal.timeout(3_000) });
      await answer.body?.cancel();
      return answer.ok;
    } catch {
      return false;
    }
  }
}

function hookOf({ changes }: Pick<SeededBug, 'changes'>): string {
  const hook = new URL('seeded-bug-hook.mjs', import.meta.url);
  hook.searchParams.set('changes', JSON.stringify(changes));
  return hook.href;
}

function isBugLine(line: string): boolean {
  return line.includes('"request failed"') && line.includes('"failure":"bug"');
}
