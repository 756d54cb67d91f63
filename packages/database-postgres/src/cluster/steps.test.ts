import type { QueryResult } from 'pg';
import { runSteps, type StepQuery } from './run-steps.js';
import { isInnerStep } from './step-mark.js';
import { findSteps } from './steps.js';

const summarize = (text: string): string[] | undefined =>
  findSteps(text)?.map(({ name = 'main', sources }) => {
    const names = sources.map((source) => (source.body === undefined ? source.name : `${source.name} (derived)`));
    return [name, ...names].join(' < ');
  });

describe('findSteps', () => {
  it.each([
    ['a single write', 'insert into orders (app_id) values ($1)'],
    ['an INSERT that reads a table', 'insert into orders (app_id) select app_id from drafts where app_id = $1'],
    [
      'an INSERT that reads only parameters',
      'with r as (select * from json_to_recordset($1) as r (id bigint)) insert into orders (id) select id from r',
    ],
    [
      'updates and deletes, which Citus sends to one node',
      'with gone as (delete from drafts where app_id = $1 returning id) update orders set id = gone.id from gone where app_id = $1',
    ],
    [
      'an INSERT beside other writes that reads none of them',
      'with made as (insert into orders (app_id) values ($1)) update drafts set done = true where app_id = $1',
    ],
  ])('leaves %s whole', (_, text) => {
    expect(findSteps(text)).toBeUndefined();
  });

  it.each([
    ['a recursive query', 'with recursive made as (insert into orders (id) values (1)) select 1'],
    ['names of columns', 'with made (a) as (insert into orders (id) values (1) returning id) select 1'],
  ])('refuses %s', (_, text) => {
    expect(() => findSteps(text)).toThrow('The WITH list of this statement cannot be read');
  });

  it('makes a step of a part that has the name of its table', () => {
    const text = 'with orders as (select id from orders), made as (insert into t (id) select id from orders) select 1';
    expect(summarize(text)).toEqual(['orders', 'made < orders', 'main']);
  });

  it('divides a statement whose INSERT reads rows of another part', () => {
    const text = `
      with made as (insert into orders (app_id) values ($1) returning id), item as (
        insert into items (app_id, order_id) select $1, made.id from made
      )
      select id from made`;
    expect(summarize(text)).toEqual(['made', 'item < made', 'main < made']);
  });

  it('repeats a part that reads only parameters and other parts', () => {
    const text = `
      with change as materialized (select * from json_to_recordset($2) as r (id bigint)),
        total as (select count(*) as pieces from change, unnest($3::bigint[]) as more (id)),
        made as (insert into moves (app_id, pieces) select $1, pieces from total returning id)
      update stocks s set moved = made.id from made, change where s.app_id = $1 and s.id = change.id`;
    expect(summarize(text)).toEqual(['made < change (derived) < total (derived)', 'main < change (derived) < made']);
  });

  it.each([
    ['reads a table', 'select id from drafts where app_id = $1'],
    ['reads a table after a function', 'select id from unnest($2::bigint[]) as u (id), drafts where app_id = $1'],
    ['joins a table', 'select id from unnest($2::bigint[]) as u (id) join drafts using (id)'],
    ['reads a table in a subquery', 'select 1 where exists (select 1 from drafts where app_id = $1)'],
    ['draws ids', `select nextval('ids') as id`],
  ])('makes a step of a part that %s', (_, body) => {
    const text = `with found as (${body}) , made as (insert into orders (id) select id from found) select 1`;
    expect(summarize(text)).toEqual(['found', 'made < found', 'main']);
  });

  it('ignores parentheses and commas in strings, names and comments', () => {
    const text = `
      with made as ( -- an order (
        insert into orders (app_id, name, "a,)") values ($1, '),(', /* ) */ 'it''s') returning id
      ), item as (insert into items (id) select id from made)
      select 1`;
    expect(summarize(text)).toEqual(['made', 'item < made', 'main']);
  });
});

describe('runSteps', () => {
  const resultOf = (fields: Readonly<Record<string, number>>, rows: readonly object[]): QueryResult =>
    ({
      fields: Object.entries(fields).map(([name, dataTypeID]) => ({ name, dataTypeID })),
      rows,
    }) as unknown as QueryResult;

  const textOf = ({ text }: StepQuery): string => text.replace(/ \/\*.*/, '').replaceAll(/\s+/g, ' ');

  async function run(text: string, values: readonly unknown[], results: readonly QueryResult[]) {
    const packets: (readonly StepQuery[])[] = [];
    const left = [...results];
    const last = await runSteps(findSteps(text) ?? [], values, (queries) => {
      packets.push(queries);
      return Promise.resolve(queries.map(() => left.shift() as QueryResult));
    });
    return [...packets, last].map((packet) => packet.map((query) => ({ text: textOf(query), values: query.values })));
  }

  it('passes rows as parameters, with the types that the step returned', async () => {
    const text = `
      with made as (insert into orders (app_id) values ($1) returning id, tags, extra), item as (
        insert into items (app_id, order_id, qty) select $1, made.id, $2 from made
      )
      select id from made where $3`;
    const result = resultOf({ id: 20, tags: 1009, extra: 3802 }, [
      { id: '7', tags: '{a,"b c"}', extra: '{"n": null}' },
    ]);
    const rows = '[{"id":"7","tags":"{a,\\"b c\\"}","extra":{"n": null}}]';
    const made = (parameter: string): string =>
      `made as (select * from json_to_recordset(${parameter}::json) as r ("id" bigint, "tags" text[], "extra" jsonb))`;
    expect(await run(text, [1, 5, true], [result])).toEqual([
      [{ text: 'insert into orders (app_id) values ($1) returning id, tags, extra', values: [1] }],
      [
        {
          text: `with ${made('$1')} insert into items (app_id, order_id, qty) select $2, made.id, $3 from made`,
          values: [rows, 1, 5],
        },
        { text: `with ${made('$1')} select id from made where $2`, values: [rows, true] },
      ],
    ]);
  });

  it('sends steps together until one needs rows of another', async () => {
    const text = `
      with a as (insert into t (n) values (1) returning n), b as (insert into t (n) values (2) returning n),
        c as (insert into t (n) select n from a), d as (insert into t (n) select n from b)
      select 1`;
    const result = resultOf({ n: 23 }, [{ n: '1' }]);
    expect((await run(text, [], [result, result])).map((packet) => packet.length)).toEqual([2, 3]);
  });

  it('leaves the numbers in comments', async () => {
    const text = `
      with a as (insert into t (n) values ($2) returning n), b as (
        insert into t (n) select n + $3 from a -- $1 is the app
      )
      select 1`;
    const [first, second] = await run(text, [7, 8, 9], [resultOf({ n: 23 }, [])]);
    expect([first?.[0]?.values, second?.[0]?.values]).toEqual([[8], ['[]', 9]]);
  });

  it('adds to the WITH list of a step that has one', async () => {
    const text = `
      with a as (insert into t (n) values (1) returning n),
        b as (with more as (select n + 1 as n from a) insert into t (n) select n from more)
      select 1`;
    const [, last] = await run(text, [], [resultOf({ n: 23 }, [])]);
    expect(last?.[0]?.text).toBe(
      'with a as (select * from json_to_recordset($1::json) as r ("n" integer)), more as (select n + 1 as n from a) insert into t (n) select n from more',
    );
  });

  it('marks all steps but the last', async () => {
    const text =
      'with a as (insert into t (n) values (1) returning n), b as (insert into t (n) select n from a) select 1';
    const steps: StepQuery[] = [];
    const last = await runSteps(findSteps(text) ?? [], [], (queries) => {
      steps.push(...queries);
      return Promise.resolve([resultOf({ n: 23 }, [])]);
    });
    expect([...steps, ...last].map((query) => isInnerStep(query.text))).toEqual([true, true, false]);
  });

  it('refuses a column whose type it does not know', async () => {
    const text =
      'with a as (insert into t (n) values (1) returning n), b as (insert into t (n) select n from a) select 1';
    await expect(run(text, [], [resultOf({ n: 600 }, [])])).rejects.toThrow('unknown type 600');
  });
});
