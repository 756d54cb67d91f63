const PERIOD_MS = 10_000;

/** Prints how many suites have ended, where no terminal shows it. */
export default class ProgressReporter {
  #timer;

  onRunStart({ numTotalTestSuites, startTime }) {
    if (process.stdout.isTTY) return;
    this.startTime = startTime;
    this.total = numTotalTestSuites;
    process.stderr.write(`Running ${this.total} suites …\n`);
    this.#timer = setInterval(() => this.#print(), PERIOD_MS);
  }

  onTestFileResult(_test, _result, { numPassedTestSuites, numFailedTestSuites, numPendingTestSuites }) {
    this.ended = numPassedTestSuites + numFailedTestSuites + numPendingTestSuites;
  }

  onRunComplete() {
    clearInterval(this.#timer);
  }

  #print() {
    const seconds = Math.round((Date.now() - this.startTime) / 1000);
    process.stderr.write(`… ${this.ended ?? 0} of ${this.total} suites after ${seconds} s\n`);
  }
}
