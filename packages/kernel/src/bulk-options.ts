export interface BulkOptions {
  readonly explain?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}
