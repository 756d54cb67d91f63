import type { Rig } from './rig.js';

/** A fault to run. `run` returns breaches beyond the rules of `check`, and a note for the table. */
export interface Scenario {
  readonly name: string;
  readonly run: (rig: Rig) => Promise<Outcome>;
  /** The scenario needs an otherwise idle machine for its measurements. */
  readonly runsAlone?: true;
}

export interface Outcome {
  /** Milliseconds from the end of the fault until everything was ready; missing when nothing went down. */
  readonly readyMs?: number;
  readonly breaches?: readonly string[];
  readonly note?: string;
}
