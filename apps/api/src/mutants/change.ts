import type { Range } from './syntax.js';

/** What makes a mutant of a file: other text in place of a range. */
export interface Change extends Range {
  readonly operator: string;
  readonly replacement: string;
  /** The other conditions of a dropped one. */
  readonly besides?: readonly string[];
}
