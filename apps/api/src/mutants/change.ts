import type { Range } from './syntax.js';

/** A mutation: replaces a range of a file. */
export interface Change extends Range {
  readonly operator: string;
  readonly replacement: string;
  /** The other conditions beside a dropped condition. */
  readonly siblings?: readonly string[];
}
