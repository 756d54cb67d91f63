import type { Range } from './syntax.js';

/** A mutation that replaces a range of a file. */
export interface Change extends Range {
  readonly operator: string;
  readonly replacement: string;
  /** For a dropped condition, the other conditions of its clause. */
  readonly siblings?: readonly string[];
}
