import { runStepsInSlices, type EventLoop, type Steps } from '@back-office/kernel';

const LOOP: EventLoop = { nowMs: () => performance.now(), nextPass };

/** Lets other calls run between two parts of a large one. */
export function nextPass(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  return runStepsInSlices(steps, LOOP);
}
