import { destination, type DestinationStream } from 'pino';

const STANDARD_OUTPUT = 1;
/** Several processes may write to one pipe. Short lines together stay below 4,096 bytes, which a pipe takes as a whole. */
const MAX_WAITING_CHARACTERS = 2_048;
const MAX_DELAY_MS = 200;
const WARN = 40;

/** With this property, pino sets `lastLevel` before each line. */
const NEEDS_LEVEL = Symbol.for('pino.metadata');

/** Writes by itself above its `minLength`. Ignores a closed pipe. */
interface BufferedOutput {
  write(text: string): void;
  flush(): void;
}

/**
 * Collects lines for up to 200 ms, because a write for each line takes several percent of the CPU of a small call. Writes
 * at once from level `warn` on, and when the process exits.
 */
export class LogOutput implements DestinationStream {
  readonly [NEEDS_LEVEL] = true;
  lastLevel = WARN;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly output: BufferedOutput) {}

  write(line: string): void {
    this.output.write(line);
    if (this.lastLevel >= WARN) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), MAX_DELAY_MS).unref();
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.output.flush();
  }
}

let output: LogOutput | undefined;

/** Returns the output of all loggers of the process. */
export function logOutput(): DestinationStream {
  output ??= openOutput();
  return output;
}

function openOutput(): LogOutput {
  const opened = new LogOutput(destination({ dest: STANDARD_OUTPUT, sync: true, minLength: MAX_WAITING_CHARACTERS }));
  process.on('exit', () => opened.flush());
  return opened;
}
