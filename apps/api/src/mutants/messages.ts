export interface RunRequest {
  /** Suites as compiled files. */
  readonly suites: readonly SuiteRequest[];
  /** Runs the last test first, to find tests that depend on each other. */
  readonly reversed: boolean;
  /** Timeout of tests without a timeout in the request. */
  readonly timeoutMs: number;
  readonly watchSql: boolean;
}

export interface SuiteRequest {
  readonly file: string;
  /** Timeout in milliseconds by test number; missing means all tests. */
  readonly tests?: Readonly<Record<number, number>>;
}

export interface TestReport {
  readonly file: string;
  readonly test: number;
  readonly name: string;
  readonly ms: number;
  /** Numbers of the functions that have run. */
  readonly covered: readonly number[];
}

export type RunReport =
  | { readonly passedTest: TestReport }
  /** Functions that ran while the file was loaded and its fixtures were set up. */
  | { readonly file: string; readonly setUp: readonly number[] }
  | { readonly failedTest: string; readonly message: string; readonly isSqlInvalid: boolean }
  | { readonly done: true };
