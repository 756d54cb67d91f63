export interface BulkOptions {
  /** Whether the result says which identifier of each row found its record. */
  readonly explain?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}
