import type { Change } from './change.js';
import { SqlText } from './sql-text.js';
import type { Range } from './syntax.js';

const CLAUSE =
  /^(?:group by|order by|having|limit|offset|returning|for (?:no key )?(?:update|share|key share)|union|except|intersect|on conflict|window|where|then|else|when)\b/;
const LOCK = /\bfor (?:no key update|update|share|key share)(?: of \w+)?(?: skip locked| nowait)?/g;
const COMPARISONS: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '<>': '=' };

type Operator = (sql: SqlText) => Change[];

const conjuncts: Operator = (sql) =>
  sql.matches(/\bwhere\b/g).flatMap(({ index }) => {
    const clause = sql.trimmed(sql.clauseFrom(index + 'where'.length, CLAUSE));
    const parts = conjunctsOf(sql, clause).filter(({ start, end }) => end > start);
    return parts.map((part) => ({
      ...part,
      besides: parts.filter((other) => other !== part).map((other) => sql.slice(other)),
      operator: 'drop conjunct',
      // What it compares stays, so that parameters keep their types.
      replacement: `(${sql.slice(part)} or true)`,
    }));
  });

function conjunctsOf(sql: SqlText, clause: Range): Range[] {
  if (sql.split(clause, /^\bor\b/).length > 1) return [clause];
  const parts = sql.split(clause, /^\band\b/);
  // The "and" of a "between" parts nothing.
  return parts.flatMap((part, index) => {
    const isBetween = (each: Range | undefined): boolean =>
      each !== undefined && /\bbetween\b/.test(sql.mask.slice(each.start, each.end));
    if (isBetween(parts[index - 1])) return [];
    return [isBetween(part) ? { start: part.start, end: parts[index + 1]?.end ?? part.end } : part];
  });
}

const locks: Operator = (sql) =>
  sql.matches(LOCK).flatMap(({ 0: found, index }) => {
    const whole = { start: index, end: index + found.length };
    const skip = found.indexOf(' skip locked');
    const changes = [{ ...whole, operator: 'drop lock', replacement: '' }];
    return skip < 0
      ? changes
      : [...changes, { ...whole, start: index + skip, operator: 'drop skip locked', replacement: '' }];
  });

const updates: Operator = (sql) =>
  sql
    .matches(/\b(?:update (\w+)(?: (?:as )?(\w+))?|do update)\s+set\b/g)
    .flatMap(({ 0: found, 1: table, 2: alias, index }) => {
      const into = sql.matches(/\binsert into (\w+)/g).findLast((each) => each.index < index);
      const named =
        wordIn(sql, found, index, alias ?? table) ?? wordIn(sql, into?.[0] ?? '', into?.index ?? 0, into?.[1]);
      if (named === undefined) return [];
      const clause = sql.clauseFrom(index + found.length, /^(?:from|where|returning)\b/);
      return sql.split(clause, /^,/).flatMap((part) => {
        const [, column, value] = /^(\w+)\s*=\s*([^]+)$/.exec(sql.slice(part)) ?? [];
        if (column === undefined) return [];
        const replacement = `${column} = case when true then ${named}.${column} else ${value} end`;
        return [{ ...part, operator: 'drop updated column', replacement }];
      });
    });

/** As it is written: names of tables may be put in by code. */
function wordIn(sql: SqlText, found: string, index: number, word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  const start = index + found.lastIndexOf(word);
  return sql.slice({ start, end: start + word.length });
}

const inserts: Operator = (sql) =>
  sql.matches(/\binsert into \w+(?: as \w+)?\s*\(/g).flatMap(({ 0: found, index }) => {
    const columns = sql.clauseFrom(index + found.length, /^\b\B/);
    const rest = /^\)\s*(values\s*\(|select (?:distinct )?)/.exec(sql.mask.slice(columns.end));
    if (rest === null) return [];
    const start = columns.end + rest[0].length;
    const values = sql.clauseFrom(start, /^(?:from|where|order by|returning|on conflict|group by|union)\b/);
    const [names, given] = [sql.split(columns, /^,/), sql.split(values, /^,/)];
    return names.length === given.length ? given.map((value) => withoutValue(sql, value)) : [];
  });

function withoutValue(sql: SqlText, value: Range): Change {
  const [text, alias = ''] = sql.slice(value).split(/(?= as \w+$)/);
  return { ...value, operator: 'drop inserted column', replacement: `case when false then ${text} end${alias}` };
}

const orders: Operator = (sql) =>
  sql.matches(/\border by\b/g).flatMap(({ index }) => {
    const start = index + 'order by'.length;
    const clause = sql.trimmed(sql.clauseFrom(start, CLAUSE));
    const keys = sql.split(clause, /^,/);
    const of = isOfInsert(sql, clause) ? ' of insert' : '';
    return keys.flatMap((key, place) => {
      const [before, next] = [keys[place - 1], keys[place + 1]];
      const whole = {
        start: before?.end ?? (next ? key.start : index),
        end: before ? key.end : (next?.start ?? key.end),
      };
      const text = sql.slice(key);
      const turned = / desc\b/.test(text) ? text.replace(/ desc\b/, '') : `${text.replace(/ asc\b/, '')} desc`;
      return [
        { ...whole, operator: `drop order key${of}`, replacement: '' },
        ...(text.includes(' nulls ') ? [] : [{ ...key, operator: `swap direction${of}`, replacement: turned }]),
      ];
    });
  });

/** Whether rows are only put in by this order, and not returned in it. */
function isOfInsert(sql: SqlText, order: Range): boolean {
  const statement = sql.matches(/\binsert into\b/g).map(({ index }) => sql.clauseFrom(index, /^\b\B/));
  const own = statement.findLast(({ start, end }) => start < order.start && end >= order.end);
  return (
    own !== undefined &&
    !/\breturning\b/.test(sql.mask.slice(order.end, own.end)) &&
    sql.depthBetween(own.start, order.start) === 0
  );
}

const limits: Operator = (sql) =>
  sql.matches(/\b(?:limit|offset) (\$\d+|\d+|q+)/g).map(({ 0: found, index }) => {
    const end = index + found.length;
    return { start: end, end, operator: 'cut by one', replacement: ' + 1' };
  });

const conflicts: Operator = (sql) =>
  sql.matches(/\bon conflict\b/g).map(({ index }) => {
    const { end } = sql.clauseFrom(index + 'on conflict'.length, /^returning\b/);
    return { start: index, end, operator: 'drop conflict guard', replacement: ' ' };
  });

const writes: Operator = (sql) =>
  sql.matches(/\b(?:update \w+(?: (?:as )?\w+)? set|delete from|insert into)\b/g).flatMap(({ index }) => {
    const statement = sql.clauseFrom(index, /^returning\b/);
    const inside = sql.split(statement, /^where\b/);
    const condition = inside[1];
    if (condition === undefined) return [];
    return [{ start: condition.start, end: condition.start, operator: 'drop write', replacement: 'false and ' }];
  });

const signs: Operator = (sql) => [
  ...sql.matches(/(?<=\s)(<>|<=|>=|<|>)(?=\s)/g).map(({ 0: sign, index }) => {
    const replacement = COMPARISONS[sign] ?? sign;
    return { start: index, end: index + sign.length, operator: 'swap comparison', replacement };
  }),
  ...sql.matches(/\bis (not )?null\b/g).map(({ 0: found, 1: not, index }) => {
    const replacement = not ? 'is null' : 'is not null';
    return { start: index, end: index + found.length, operator: 'negate condition', replacement };
  }),
  ...sql.matches(/\bdistinct\b(?! from| on)/g).map(({ index }) => ({
    start: index,
    end: index + 'distinct'.length,
    operator: 'drop distinct',
    replacement: '',
  })),
];

const OPERATORS: readonly Operator[] = [conjuncts, locks, updates, inserts, orders, limits, conflicts, writes, signs];

/** A statement, or a part that code puts into one. */
export function isSql(text: string): boolean {
  return /\b(?:select|insert into|update \S+ set|delete from|where|join|order by|on conflict|returning|is (?:not )?null|exists|in)\b|\$\d|\w+\.\w+ (?:=|<|>|like)|\bfor update\b|::/.test(
    text,
  );
}

/** All changes of a text of SQL, by places in it. */
export function sqlChanges(text: string): Change[] {
  const sql = new SqlText(text);
  return OPERATORS.flatMap((operator) => operator(sql));
}
