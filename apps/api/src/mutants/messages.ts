/** What a process is asked that runs contract suites. */
export interface RunRequest {
  /** Built files. */
  readonly suites: readonly SuiteRequest[];
  /** The last test first, to show that none needs another. */
  readonly reversed: boolean;
  /** Tests that are not named may take so long. */
  readonly timeoutMs: number;
  readonly watchSql: boolean;
}

export interface SuiteRequest {
  readonly file: string;
  /** Tests to run by their numbers, with the milliseconds that each may take; all of them where it is not given. */
  readonly tests?: Readonly<Record<number, number>>;
}

export interface TestReport {
  readonly file: string;
  readonly test: number;
  readonly name: string;
  readonly ms: number;
  /** Numbers of the functions that ran. */
  readonly covered: readonly number[];
}

export type RunReport =
  | { readonly passed: TestReport }
  /** Functions that ran while a file was loaded and its scenes were set. */
  | { readonly file: string; readonly setUp: readonly number[] }
  | { readonly failed: string; readonly why: string; readonly isSqlInvalid: boolean }
  | { readonly done: true };
