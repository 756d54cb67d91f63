import type { Change } from './change.js';
import { SqlText } from './sql-text.js';
import type { Range } from './syntax.js';

const CLAUSE =
  /^(?:group by|order by|having|limit|offset|returning|for (?:no key )?(?:update|share|key share)|union|except|intersect|on conflict|window|where|then|else|when)\b/;
const LOCK = /\bfor (?:no key update|update|share|key share)(?: of \w+)?(?: skip locked| nowait)?/g;
const COMPARISONS: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '<>': '=' };

type Operator = (sql: SqlText) => Change[];

const dropConjuncts: Operator = (sql) =>
  sql.matches(/\bwhere\b/g).flatMap(({ index }) => {
    const clause = sql.trim(sql.clauseFrom(index + 'where'.length, CLAUSE));
    const parts = conjunctsOf(sql, clause).filter(({ start, end }) => end > start);
    return parts.map((part) => ({
      ...part,
      siblings: parts.filter((sibling) => sibling !== part).map((sibling) => sql.slice(sibling)),
      operator: 'drop conjunct',
      // The condition stays in the text, because PostgreSQL infers the types of parameters from it.
      replacement: `(${sql.slice(part)} or true)`,
    }));
  });

function conjunctsOf(sql: SqlText, clause: Range): Range[] {
  if (sql.split(clause, /^\bor\b/).length > 1) return [clause];
  const parts = sql.split(clause, /^\band\b/);
  // The `and` inside a `between` does not separate two conditions.
  return parts.flatMap((part, index) => {
    const isBetween = (candidate: Range | undefined): boolean =>
      candidate !== undefined && /\bbetween\b/.test(sql.mask.slice(candidate.start, candidate.end));
    if (isBetween(parts[index - 1])) return [];
    return [isBetween(part) ? { start: part.start, end: parts[index + 1]?.end ?? part.end } : part];
  });
}

const dropLocks: Operator = (sql) =>
  sql.matches(LOCK).flatMap(({ 0: text, index }) => {
    const whole = { start: index, end: index + text.length };
    const skipIndex = text.indexOf(' skip locked');
    const changes = [{ ...whole, operator: 'drop lock', replacement: '' }];
    return skipIndex < 0
      ? changes
      : [...changes, { ...whole, start: index + skipIndex, operator: 'drop skip locked', replacement: '' }];
  });

const dropUpdatedColumns: Operator = (sql) =>
  sql
    .matches(/\b(?:update (\w+)(?: (?:as )?(\w+))?|do update)\s+set\b/g)
    .flatMap(({ 0: head, 1: table, 2: alias, index }) => {
      const target = sql.matches(/\binsert into (\w+)/g).findLast((insert) => insert.index < index);
      const tableName =
        wordIn(sql, head, index, alias ?? table) ?? wordIn(sql, target?.[0] ?? '', target?.index ?? 0, target?.[1]);
      if (tableName === undefined) return [];
      const clause = sql.clauseFrom(index + head.length, /^(?:from|where|returning)\b/);
      return sql.split(clause, /^,/).flatMap((part) => {
        const [, column, value] = /^(\w+)\s*=\s*([^]+)$/.exec(sql.slice(part)) ?? [];
        if (column === undefined) return [];
        const replacement = `${column} = case when true then ${tableName}.${column} else ${value} end`;
        return [{ ...part, operator: 'drop updated column', replacement }];
      });
    });

/** Returns the word from the original text, because the mask replaces inserted table names. */
function wordIn(sql: SqlText, matchedText: string, index: number, word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  const start = index + matchedText.lastIndexOf(word);
  return sql.slice({ start, end: start + word.length });
}

const dropInsertedColumns: Operator = (sql) =>
  sql.matches(/\binsert into \w+(?: as \w+)?\s*\(/g).flatMap(({ 0: head, index }) => {
    const columns = sql.clauseFrom(index + head.length, /^\b\B/);
    const valuesHead = /^\)\s*(values\s*\(|select (?:distinct )?)/.exec(sql.mask.slice(columns.end));
    if (valuesHead === null) return [];
    const start = columns.end + valuesHead[0].length;
    const valueRange = sql.clauseFrom(start, /^(?:from|where|order by|returning|on conflict|group by|union)\b/);
    const [columnRanges, valueRanges] = [sql.split(columns, /^,/), sql.split(valueRange, /^,/)];
    return columnRanges.length === valueRanges.length ? valueRanges.map((range) => dropValue(sql, range)) : [];
  });

function dropValue(sql: SqlText, value: Range): Change {
  const [text, alias = ''] = sql.slice(value).split(/(?= as \w+$)/);
  return { ...value, operator: 'drop inserted column', replacement: `case when false then ${text} end${alias}` };
}

const changeOrder: Operator = (sql) =>
  sql.matches(/\border by\b/g).flatMap(({ index }) => {
    const start = index + 'order by'.length;
    const clause = sql.trim(sql.clauseFrom(start, CLAUSE));
    const keys = sql.split(clause, /^,/);
    const suffix = isInvisibleOrder(sql, clause) ? ' of insert' : '';
    return keys.flatMap((key, position) => {
      const [previous, next] = [keys[position - 1], keys[position + 1]];
      const whole = {
        start: previous?.end ?? (next ? key.start : index),
        end: previous ? key.end : (next?.start ?? key.end),
      };
      const text = sql.slice(key);
      const reversed = / desc\b/.test(text) ? text.replace(/ desc\b/, '') : `${text.replace(/ asc\b/, '')} desc`;
      return [
        { ...whole, operator: `drop order key${suffix}`, replacement: '' },
        ...(text.includes(' nulls ') ? [] : [{ ...key, operator: `swap direction${suffix}`, replacement: reversed }]),
      ];
    });
  });

/** Whether the `order by` has no visible effect, because it only sorts the rows of an insert that returns nothing. */
function isInvisibleOrder(sql: SqlText, order: Range): boolean {
  const statements = sql.matches(/\binsert into\b/g).map(({ index }) => sql.clauseFrom(index, /^\b\B/));
  const insert = statements.findLast(({ start, end }) => start < order.start && end >= order.end);
  return (
    insert !== undefined &&
    !/\breturning\b/.test(sql.mask.slice(order.end, insert.end)) &&
    sql.depthBetween(insert.start, order.start) === 0
  );
}

const changeLimits: Operator = (sql) =>
  sql.matches(/\b(?:limit|offset) (\$\d+|\d+|q+)/g).map(({ 0: text, index }) => {
    const end = index + text.length;
    return { start: end, end, operator: 'cut by one', replacement: ' + 1' };
  });

const dropConflictGuards: Operator = (sql) =>
  sql.matches(/\bon conflict\b/g).map(({ index }) => {
    const { end } = sql.clauseFrom(index + 'on conflict'.length, /^returning\b/);
    return { start: index, end, operator: 'drop conflict guard', replacement: ' ' };
  });

const dropWrites: Operator = (sql) =>
  sql.matches(/\b(?:update \w+(?: (?:as )?\w+)? set|delete from|insert into)\b/g).flatMap(({ index }) => {
    const statement = sql.clauseFrom(index, /^returning\b/);
    const parts = sql.split(statement, /^where\b/);
    const condition = parts[1];
    if (condition === undefined) return [];
    return [{ start: condition.start, end: condition.start, operator: 'drop write', replacement: 'false and ' }];
  });

const changeSigns: Operator = (sql) => [
  ...sql.matches(/(?<=\s)(<>|<=|>=|<|>)(?=\s)/g).map(({ 0: sign, index }) => {
    const replacement = COMPARISONS[sign] ?? sign;
    return { start: index, end: index + sign.length, operator: 'swap comparison', replacement };
  }),
  ...sql.matches(/\bis (not )?null\b/g).map(({ 0: text, 1: not, index }) => {
    const replacement = not ? 'is null' : 'is not null';
    return { start: index, end: index + text.length, operator: 'negate condition', replacement };
  }),
  ...sql.matches(/\bdistinct\b(?! from| on)/g).map(({ index }) => ({
    start: index,
    end: index + 'distinct'.length,
    operator: 'drop distinct',
    replacement: '',
  })),
];

const OPERATORS: readonly Operator[] = [
  dropConjuncts,
  dropLocks,
  dropUpdatedColumns,
  dropInsertedColumns,
  changeOrder,
  changeLimits,
  dropConflictGuards,
  dropWrites,
  changeSigns,
];

/** Whether the text is a statement, or a part that code inserts into a statement. */
export function isSql(text: string): boolean {
  return /\b(?:select|insert into|update \S+ set|delete from|where|join|order by|on conflict|returning|is (?:not )?null|exists|in)\b|\$\d|\w+\.\w+ (?:=|<|>|like)|\bfor update\b|::/.test(
    text,
  );
}

/** Returns all changes of an SQL text, with offsets relative to the text. */
export function sqlChanges(text: string): Change[] {
  const sql = new SqlText(text);
  return OPERATORS.flatMap((operator) => operator(sql));
}
