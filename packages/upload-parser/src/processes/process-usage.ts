import { readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** CPU time since the start of the process. */
  readonly cpuMs: number;
  /** Resident memory. */
  readonly memoryMegabytes: number;
}

const MS_PER_TICK = 10;
const KILOBYTES_PER_MEGABYTE = 1_024;
const MEMORY = 'VmRSS:';
/** Indexes in the fields that follow the program name. */
const [USER_TICKS, SYSTEM_TICKS] = [11, 12];

/** Returns `undefined` for an ended process, and on systems other than Linux. */
export function readProcessUsage(pid: number): ProcessUsage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const status = readFileSync(`/proc/${pid}/status`, 'latin1').split('\n');
    const memory = status.find((line) => line.startsWith(MEMORY));
    if (memory === undefined) return undefined;
    const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
    return {
      cpuMs: ticks * MS_PER_TICK,
      memoryMegabytes: Number.parseInt(memory.slice(MEMORY.length), 10) / KILOBYTES_PER_MEGABYTE,
    };
  } catch {
    return undefined;
  }
}
