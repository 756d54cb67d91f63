import type { Rig } from './rig.js';

/** Something that breaks. It answers what was seen beside the rules: breaches, and what the table shows. */
export interface Scenario {
  readonly name: string;
  readonly run: (rig: Rig) => Promise<Outcome>;
  /** It measures what others would disturb. */
  readonly alone?: true;
}

export interface Outcome {
  /** How long after the fault was over until all was ready, in ms; absent where nothing went down. */
  readonly readyMs?: number;
  readonly breaches?: readonly string[];
  readonly note?: string;
}
