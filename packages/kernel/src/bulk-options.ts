export interface BulkOptions {
  /** Returns how each row found its record. */
  readonly explain?: boolean | undefined;
  /** Rolls the write back at the end. */
  readonly dryRun?: boolean | undefined;
}
