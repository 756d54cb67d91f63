interface Suite {
  readonly name: string;
  readonly seconds: number;
}

const { overBudget } = (await import(new URL('./times-reporter.mjs', import.meta.url).href)) as {
  overBudget: (suites: readonly Suite[], allowance: number) => string[];
};
const { BUDGETS_SECONDS } = (await import(new URL('./suite-budgets.mjs', import.meta.url).href)) as {
  BUDGETS_SECONDS: Readonly<Record<string, number>>;
};

const named = Object.keys(BUDGETS_SECONDS).map((name) => ({ name, seconds: 1 }));

describe('a suite', () => {
  it('may take its budget times the allowance, and no more', () => {
    const fast = { name: 'fast.test.ts', seconds: 8 };
    const slow = { name: 'slow.test.ts', seconds: 8.1 };
    expect(overBudget([...named, fast, slow], 1)).toEqual(['slow.test.ts: 8.1 s for 8.0 s']);
    expect(overBudget([...named, fast, slow], 1.1)).toEqual([]);
  });

  it('with a budget of its own exists', () => {
    const [first, ...rest] = named;
    expect(overBudget(rest, 1)).toEqual([`${first?.name}: has a budget, but is no suite`]);
  });
});
