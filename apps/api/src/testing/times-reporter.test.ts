import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

interface Suite {
  readonly name: string;
  readonly cpu: number;
}

const { describeOverBudget } = (await import(new URL('./times-reporter.mjs', import.meta.url).href)) as {
  describeOverBudget: (suites: readonly Suite[], allowance: number) => string[];
};
const { BUDGETS } = (await import(new URL('./suite-budgets.mjs', import.meta.url).href)) as {
  BUDGETS: Readonly<Record<string, object>>;
};

const { cpuSeconds } = createRequire(import.meta.url)('./measured-suite.cjs') as { cpuSeconds: () => number };

const suitesWithBudget = Object.keys(BUDGETS).map((name) => ({ name, cpu: 1 }));

describe('a suite', () => {
  it('may use its budget multiplied by the tolerance', () => {
    const fast = { name: 'fast.test.ts', cpu: 5 };
    const slow = { name: 'slow.test.ts', cpu: 5.1 };
    expect(describeOverBudget([...suitesWithBudget, fast, slow], 1)).toEqual(['slow.test.ts: 5.1 s of CPU for 5.0 s']);
    expect(describeOverBudget([...suitesWithBudget, fast, slow], 1.1)).toEqual([]);
  });

  it('is reported when it has a budget but no file', () => {
    const [missingSuite, ...otherSuites] = suitesWithBudget;
    expect(describeOverBudget(otherSuites, 1)).toEqual([`${missingSuite?.name}: has a budget but does not exist`]);
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
