import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

interface Suite {
  readonly name: string;
  readonly cpu: number;
}

const { overBudget } = (await import(new URL('./times-reporter.mjs', import.meta.url).href)) as {
  overBudget: (suites: readonly Suite[], allowance: number) => string[];
};
const { BUDGETS } = (await import(new URL('./suite-budgets.mjs', import.meta.url).href)) as {
  BUDGETS: Readonly<Record<string, object>>;
};

const { cpuSeconds } = createRequire(import.meta.url)('./measured-suite.cjs') as { cpuSeconds: () => number };

const budgeted = Object.keys(BUDGETS).map((name) => ({ name, cpu: 1 }));

describe('a suite', () => {
  it('may take its budget times the allowance', () => {
    const fast = { name: 'fast.test.ts', cpu: 5 };
    const slow = { name: 'slow.test.ts', cpu: 5.1 };
    expect(overBudget([...budgeted, fast, slow], 1)).toEqual(['slow.test.ts: 5.1 s of CPU for 5.0 s']);
    expect(overBudget([...budgeted, fast, slow], 1.1)).toEqual([]);
  });

  it('with its own budget exists', () => {
    const [first, ...rest] = budgeted;
    expect(overBudget(rest, 1)).toEqual([`${first?.name}: has a budget but does not exist`]);
  });
});

describe('the CPU of a suite', () => {
  it('includes the processes that it started, on Linux', () => {
    const work = 'const end = performance.now() + 300; while (performance.now() < end);';
    const before = cpuSeconds();
    execFileSync(process.execPath, ['-e', work]);
    const between = cpuSeconds();
    expect(between - before).toBeGreaterThan(process.platform === 'linux' ? 0.03 : 0);
    let sum = 0;
    for (let turn = 0; turn < 2e7; turn += 1) sum += Math.sqrt(turn);
    expect(sum).toBeGreaterThan(0);
    expect(cpuSeconds() - between).toBeGreaterThan(0.005);
  });
});
