import type { Rig } from './rig.js';

/** A fault. It returns breaches beyond the rules of `check` and a note for the table. */
export interface Scenario {
  readonly name: string;
  readonly run: (rig: Rig) => Promise<Outcome>;
  /** Its measurements need an otherwise idle machine. */
  readonly alone?: true;
}

export interface Outcome {
  /** Milliseconds from the end of the fault until all was ready; absent when nothing went down. */
  readonly readyMs?: number;
  readonly breaches?: readonly string[];
  readonly note?: string;
}
