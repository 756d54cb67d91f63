import { performance } from 'node:perf_hooks';

/** Returns how long this process has been busy since its start. */
export function busyMs(): number {
  return performance.eventLoopUtilization().active;
}
