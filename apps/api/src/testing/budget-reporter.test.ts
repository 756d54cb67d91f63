import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

interface Suite {
  readonly name: string;
  readonly cpu: number;
}

const { allowanceOf, describeOverBudget } = (await import(new URL('./budget-reporter.mjs', import.meta.url).href)) as {
  allowanceOf: (slowness: number) => number;
  describeOverBudget: (suites: readonly Suite[], allowance: number, names?: readonly string[]) => string[];
};
const { DEFAULT_BUDGET } = (await import(new URL('./suite-budgets.mjs', import.meta.url).href)) as {
  DEFAULT_BUDGET: { readonly cpu: number };
};
const { cpuSeconds } = createRequire(import.meta.url)('./measured-suite.cjs') as { cpuSeconds: () => number };

describe('a suite', () => {
  it('may use its budget multiplied by the tolerance', () => {
    const fast = { name: 'fast.test.ts', cpu: DEFAULT_BUDGET.cpu };
    const slow = { name: 'slow.test.ts', cpu: DEFAULT_BUDGET.cpu + 0.1 };
    expect(describeOverBudget([fast, slow], 1)).toEqual([
      `slow.test.ts: ${slow.cpu.toFixed(1)} s of CPU for ${fast.cpu.toFixed(1)} s`,
    ]);
    expect(describeOverBudget([fast, slow], 1.1)).toEqual([]);
  });

  it('may use more on a slower machine, up to four times its budget', () => {
    expect([0.5, 1, 1.5, 9].map(allowanceOf)).toEqual([2, 2, 3, 6]);
  });

  it('is reported when it has a budget but no file', () => {
    expect(describeOverBudget([], 1)).toEqual([]);
    expect(describeOverBudget([], 1, ['apps/none.test.ts'])).toEqual([
      'apps/none.test.ts: has a budget but does not exist',
    ]);
  });
});

describe('the CPU of a suite', () => {
  it('includes the processes that the suite started, on Linux', () => {
    const work = 'const end = performance.now() + 300; while (performance.now() < end);';
    const secondsBefore = cpuSeconds();
    execFileSync(process.execPath, ['-e', work]);
    const secondsAfterProcess = cpuSeconds();
    expect(secondsAfterProcess - secondsBefore).toBeGreaterThan(process.platform === 'linux' ? 0.03 : 0);
    let sum = 0;
    for (let step = 0; step < 2e7; step += 1) sum += Math.sqrt(step);
    expect(sum).toBeGreaterThan(0);
    expect(cpuSeconds() - secondsAfterProcess).toBeGreaterThan(0.005);
  });
});
