import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ADAPTER_NAMES, adaptersOf, EXCLUSIONS } from './adapters.js';
import { EQUIVALENCE_RULES } from './equivalents.js';
import { testMutants } from './mutants.js';
import { pointsOf } from './points.js';
import { killedPercent, tableOf } from './report.js';
import { sqlChanges } from './sql-operators.js';
import { Source } from './syntax.js';

const ROOT = `${resolve(import.meta.dirname, '../../../..')}/`;

/** Returns the text after each change by this operator. */
function mutateCode(operator: string, text: string, file = 'packages/x/src/x.ts'): string[] {
  const source = new Source(file, text);
  return pointsOf(source)
    .filter((point) => point.operator === operator)
    .map((point) => source.apply(point));
}

function mutateSql(operator: string, text: string): string[] {
  return sqlChanges(text)
    .filter((change) => change.operator === operator)
    .map(({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end));
}

describe('a change of code', () => {
  it.each<[operator: string, text: string, expected: string[]]>([
    ['negate condition', 'const a = b ? 1 : 2;', ['const a = !(b) ? 1 : 2;']],
    ['negate condition', 'while (true) if (b) c();', ['while (true) if (!(b)) c();']],
    ['swap comparison', 'f(a <= b, c !== d);', ['f(a < b, c !== d);', 'f(a <= b, c === d);']],
    ['swap logic', 'f(a && b);', ['f(a || b);']],
    ['swap arithmetic', "f(a - b, 'a' + b);", ["f(a + b, 'a' + b);"]],
    ['drop fallback', 'f(a ?? b);', ['f(a);']],
    ['drop statement', 'a = 1; await b(); c;', ['; await b(); c;', 'a = 1; ; c;']],
    ['remove await', 'const a = await b();', ['const a = b();']],
    ['remove await', 'async () => await b();', []],
    ['replace literal', "f('ä', 1, true);", ["f('', 1, true);", "f('ä', 2, true);", "f('ä', 1, false);"]],
    ['drop field', 'f({ a, b: 1, ...c });', ['f({ b: 1, ...c });', 'f({ a, ...c });', 'f({ a, b: 1 });']],
    ['drop item', 'f([a, ...b]);', ['f([...b]);', 'f([a]);']],
    [
      'cut by one',
      'a.slice(1, b); a.slice(c);',
      ['a.slice(1, (b) - 1); a.slice(c);', 'a.slice(1, b); a.slice((c) + 1);'],
    ],
    ['drop filter', 'a.filter(b).map(c);', ['a.map(c);']],
    ['unescape wildcards', 'f(escapeLike(a));', ['f(a);']],
    ['return early', 'function f() { g(); } function h() {}', ['function f() { return; g(); } function h() {}']],
  ])('is made by the operator %s: %s', (operator, text, mutants) => {
    expect(mutateCode(operator, text)).toEqual(mutants);
  });

  it('does not change types and imports', () => {
    const text = "import { a } from 'b'; export type C = 'd' | 1; interface E { f: 'g' } const h: 'i' = j as 'k';";
    expect(pointsOf(new Source('packages/x/src/x.ts', text))).toEqual([]);
  });
});

describe('a change of SQL', () => {
  it.each<[operator: string, text: string, expected: string[]]>([
    [
      'drop conjunct',
      'select 1 from t where a = $1 and b between 1 and 2 order by c',
      [
        'select 1 from t where (a = $1 or true) and b between 1 and 2 order by c',
        'select 1 from t where a = $1 and (b between 1 and 2 or true) order by c',
      ],
    ],
    ['drop conjunct', 'select (select 1 from t where a = 1), 2', ['select (select 1 from t where (a = 1 or true)), 2']],
    ['drop conjunct', 'select 1 from t where ${f({ a: 1 })}', ['select 1 from t where (${f({ a: 1 })} or true)']],
    ['drop lock', 'select 1 from t for update of t skip locked', ['select 1 from t ']],
    ['drop skip locked', 'select 1 from t for update skip locked', ['select 1 from t for update']],
    [
      'drop updated column',
      'update t x set a = f(1, 2), b = $1 where c = 1',
      [
        'update t x set a = case when true then x.a else f(1, 2) end, b = $1 where c = 1',
        'update t x set a = f(1, 2), b = case when true then x.b else $1 end where c = 1',
      ],
    ],
    [
      'drop inserted column',
      'insert into t (a, b) select c, d as e from u',
      [
        'insert into t (a, b) select case when false then c end, d as e from u',
        'insert into t (a, b) select c, case when false then d end as e from u',
      ],
    ],
    [
      'drop order key',
      'select 1 from t order by a desc, b',
      ['select 1 from t order by b', 'select 1 from t order by a desc'],
    ],
    [
      'swap direction',
      'select 1 from t order by a desc, b',
      ['select 1 from t order by a, b', 'select 1 from t order by a desc, b desc'],
    ],
    [
      'cut by one',
      'select 1 from t limit $2 offset 3',
      ['select 1 from t limit $2 + 1 offset 3', 'select 1 from t limit $2 offset 3 + 1'],
    ],
    [
      'drop conflict guard',
      'insert into t (a) values (1) on conflict (a) do nothing returning a',
      ['insert into t (a) values (1)  returning a'],
    ],
    [
      'drop write',
      'with u as (delete from t where a = 1) select 1',
      ['with u as (delete from t where false and a = 1) select 1'],
    ],
    ['swap comparison', "select '<' from t where a <= b", ["select '<' from t where a < b"]],
    ['negate condition', 'select 1 from t where a is not null', ['select 1 from t where a is null']],
  ])('is made by the operator %s: %s', (operator, text, mutants) => {
    expect(mutateSql(operator, text)).toEqual(mutants);
  });

  it('is located within code by byte offset', () => {
    const text = "const ä = 'ö';\nconst A = `select 1 from t\n  where a = ${b} and c is null`;";
    expect(mutateCode('SQL: negate condition', text)).toEqual([text.replace('is null', 'is not null')]);
  });
});

describe('a rule for changes that no contract can notice', () => {
  const sql = (text: string): string => `const A = \`${text}\`;`;
  /** The rule matches `covered`; it does not match `kept`, which is similar. */
  const examples: readonly [operator: string, covered: string, kept: string][] = [
    ['replace literal', "throw new Error('a');", "f('a');"],
    ['remove await', 'async () => await a;', 'async () => [await a];'],
    ['replace literal', 'const A_MS = 1;', 'const A = 1;'],
    ['swap comparison', 'if (Date.now() - a > b) c();', 'if (a - b > c) d();'],
    ['SQL: swap comparison', sql("select set_config('enable_a', 'b', true) where 1 < 2"), sql('select 1 where 1 < 2')],
    ['SQL: cut by one', sql('select 1 from t offset 0'), sql('select 1 from t offset 1')],
    ['SQL: cut by one', sql('select 1 from t limit 1'), sql('select 1 from t limit 2')],
    ['SQL: drop order key', sql('select 1 from t order by a for update'), sql('select 1 from t order by a')],
    [
      'SQL: drop conjunct',
      sql('select 1 from t where t.app_id = u.app_id'),
      sql('select 1 from t where t.app_id = $1'),
    ],
    [
      'SQL: drop conjunct',
      sql('select 1 from t where t.app_id = $1 and t.id = u.t_id'),
      sql('select 1 from t where t.app_id = $1'),
    ],
    [
      'SQL: drop order key',
      sql('insert into t (a) select a from u order by a'),
      sql('insert into t (a) select a from u order by a returning a'),
    ],
    ['remove await', 'await transaction.rows(A);', 'const a = await transaction.rows(A);'],
    ['drop statement', "transaction.locks('app');", 'transaction.rows(A);'],
    ['drop statement', 'transaction.expectManyRows();', 'transaction.rows(A);'],
    ['drop fallback', "f(a ?? '');", "f(a ?? 'b');"],
    ['drop field', 'f({ a: undefined });', 'f({ a: null });'],
    ['cut by one', 'a.slice(0, B_AT_ONCE);', 'a.slice(0, B);'],
    ['replace literal', 'randomBytes(8);', 'bytes(8);'],
    ['replace literal', "f({ servername: 'a' });", "f({ name: 'a' });"],
    ['drop field', 'f({ maxThreads: a });', 'f({ max: a });'],
    ['drop statement', 'await a.sync();', 'await a.write();'],
    ['replace literal', "f('EROFS');", "f('ENOENT');"],
    ['drop field', 'f({ effort: 1 });', 'f({ quality: 1 });'],
    ['replace literal', 'f({ stdout: true });', 'f({ out: true });'],
    ['drop statement', "worker.on('error', a);", "worker.on('message', a);"],
    ['negate condition', 'f(isLarge ? a : b);', 'f(isSmall ? a : b);'],
    ['replace literal', 'f({ isChanged: false });', 'f({ isSold: false });'],
    ['drop statement', 'await a.body?.cancel();', 'await a.body?.read();'],
    ['remove await', 'await a.close();', 'await a.write();'],
    ['drop field', "f({ render: 'bitmap' });", "f({ drawn: 'bitmap' });"],
    ['replace literal', 'f({ partSize: 5 });', 'f({ size: 5 });'],
    ['drop item', 'f([({ id }) => id]);', 'f([({ name }) => name]);'],
    ['replace literal', 'const DAILY = 1;', 'const A = 1;'],
    ['swap comparison', 'try { a(); } catch { f(b === c); }', 'try { f(b === c); } catch { a(); }'],
  ];

  it.each(examples)('covers %s: %s', (operator, coveredCode, keptCode) => {
    const usesMemory = /=> id|DAILY/.test(coveredCode);
    const file = `packages/database-${usesMemory ? 'memory/src/media/x' : 'postgres/src/postgres'}.ts`;
    const count = (text: string): number => mutateCode(operator, text, file).length;
    // A covered statement with a second condition still has one change: dropping that condition.
    expect(count(coveredCode)).toBe(coveredCode.includes(' and ') ? 1 : 0);
    expect(count(keptCode)).toBe(1);
  });

  it('has a reason, and an example', () => {
    expect(examples).toHaveLength(EQUIVALENCE_RULES.length);
    for (const { reason } of [...EQUIVALENCE_RULES, ...EXCLUSIONS]) expect(reason).toMatch(/^[`A-Z].+\.$/);
  });
});

describe('the shipped adapters', () => {
  it('have sources, and only suites that run contracts', () => {
    const adapters = adaptersOf(ROOT);
    expect(adapters.map(({ name }) => name)).toEqual(ADAPTER_NAMES);
    for (const { sources, suites } of adapters) {
      expect(sources.flatMap(pointsOf).length).toBeGreaterThan(40);
      expect(suites.length).toBeGreaterThan(0);
    }
  });
});

const COUNTER_SOURCE = `export class Counter {
  private count = 0;

  add(more: number): void {
    this.note();
    this.count = this.count + more;
  }

  read(): number {
    return this.count;
  }

  private note(): void {}
}
`;
const COUNTER_SUITE = `import { Counter } from './counter.js';

describe('a counter', () => {
  it('adds up', () => {
    const counter = new Counter();
    counter.add(2);
    counter.add(3);
    if (counter.read() !== 5) throw new Error('It does not add up');
  });
});
`;

describe('mutants of an adapter', () => {
  let root: string;
  beforeAll(async () => {
    root = `${await mkdtemp(join(tmpdir(), 'mutants-test-'))}/`;
    const files = {
      'packages/counter/package.json':
        '{"type": "module", "exports": {".": {"back-office:source": "./src/counter.ts"}}}',
      'packages/counter/src/counter.ts': COUNTER_SOURCE,
      'packages/counter/src/counter.contract.test.ts': COUNTER_SUITE,
    };
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), text);
    }
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const testCounter = (seed: number, perAdapter = 100) => {
    const sources = [new Source('packages/counter/src/counter.ts', COUNTER_SOURCE)];
    const suites = ['packages/counter/src/counter.contract.test.ts'];
    const adapters = [{ name: 'counter', sources, suites, needsPostgres: false }];
    return testMutants(root, { adapters, perAdapter, seed, concurrency: 2, env: {} });
  };

  it('are all killed, except one that does not change behaviour', async () => {
    const reports = await testCounter(1);
    const verdicts = reports.flatMap((report) => report.verdicts);
    const lineOf = ({ point, result }: (typeof verdicts)[number]) =>
      `${point.source.lineOf(point)} ${point.operator} ${result}`;
    expect(verdicts.map(lineOf).sort()).toEqual([
      '2 replace literal killed',
      '4 return early killed',
      '5 drop statement survived',
      '6 drop statement killed',
      '6 swap arithmetic killed',
      '9 return early killed',
    ]);
    expect(killedPercent(reports)).toBeCloseTo(500 / 6);
    expect(tableOf(reports)).toContain(
      'counter packages/counter/src/counter.ts:5 drop statement: `this.note();` → `;`',
    );
  }, 30_000);

  it('are the same for the same seed', async () => {
    const draw = async (seed: number) =>
      (await testCounter(seed, 2))
        .flatMap(({ verdicts }) => verdicts.map(({ point }) => `${point.start} ${point.operator}`))
        .sort();
    expect(await draw(3)).toEqual(await draw(3));
  }, 30_000);
});
