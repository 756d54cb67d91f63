export interface RunRequest {
  /** Suites to run, as compiled files. */
  readonly suites: readonly SuiteRequest[];
  /** Whether the tests run in reverse order, to find tests that depend on other tests. */
  readonly reversed: boolean;
  /** Timeout in milliseconds of tests that have none in the request. */
  readonly timeoutMs: number;
  readonly watchSql: boolean;
}

export interface SuiteRequest {
  readonly file: string;
  /** The tests to run: timeout in milliseconds by test number. If absent, all tests run. */
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
