import type { Rig } from './rig.js';

/** A fault and how to cause it. `run` returns breaches that `check` cannot find, and a note for the table. */
export interface Scenario {
  readonly name: string;
  readonly run: (rig: Rig) => Promise<ScenarioResult>;
  /** True if no other scenario may run at the same time, because this one measures times. */
  readonly runsAlone?: true;
}

export interface ScenarioResult {
  /** Milliseconds from the end of the fault until all processes were ready; absent when none was down. */
  readonly readyMs?: number;
  readonly breaches?: readonly string[];
  readonly note?: string;
}
