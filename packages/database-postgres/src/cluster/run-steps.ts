import type { QueryResult } from 'pg';
import { stepMark } from './step-mark.js';
import type { Step, StepSource } from './steps.js';
import { fillTemplate, type Template } from './template.js';

export interface StepQuery {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The rows are read by later steps, so their values stay texts of PostgreSQL. */
  readonly isResult: boolean;
}

const JSON_TYPES: Readonly<Record<number, string>> = { 114: 'json', 3802: 'jsonb' };
const TYPES: Readonly<Record<number, string>> = {
  ...JSON_TYPES,
  16: 'boolean',
  17: 'bytea',
  20: 'bigint',
  21: 'smallint',
  23: 'integer',
  25: 'text',
  700: 'real',
  701: 'double precision',
  1000: 'boolean[]',
  1005: 'smallint[]',
  1007: 'integer[]',
  1009: 'text[]',
  1016: 'bigint[]',
  1043: 'text',
  1082: 'date',
  1184: 'timestamptz',
  1185: 'timestamptz[]',
  1700: 'numeric',
  2950: 'uuid',
  3807: 'jsonb[]',
};

/** Sends queries in one packet, and throws the first error. */
export type SendQueries = (queries: readonly StepQuery[]) => Promise<readonly QueryResult[]>;

/**
 * Runs the steps that others read, and passes their rows to those as parameters. Returns the queries that are left to
 * send; the last one returns the rows of the statement. Sends each query only after all before it, because their order
 * is the order of locks.
 */
export async function runSteps(
  steps: readonly Step[],
  values: readonly unknown[],
  send: SendQueries,
): Promise<readonly StepQuery[]> {
  const results = new Map<string, QueryResult>();
  let waiting: { readonly step: Step; readonly query: StepQuery }[] = [];
  for (const step of steps) {
    const names = new Set(waiting.map((each) => each.step.name));
    if (step.sources.some((source) => names.has(source.name))) {
      const answers = await send(waiting.map(({ query }) => query));
      for (const [index, each] of waiting.entries())
        results.set(each.step.name as string, answers[index] as QueryResult);
      waiting = [];
    }
    waiting.push({ step, query: queryOf(step, values, results) });
  }
  return waiting.map(({ query }) => query);
}

function queryOf(step: Step, values: readonly unknown[], results: ReadonlyMap<string, QueryResult>): StepQuery {
  const parameters = new Parameters(values);
  const sources = step.sources.flatMap((source) => sourceSql(source, results, parameters));
  const body = parameters.fill(step.body);
  const mark = step.name === undefined ? '' : stepMark(step.name);
  return {
    text: `${withSql(sources, body)}${mark}`,
    values: parameters.values,
    isResult: step.name !== undefined,
  };
}

function withSql(sources: readonly string[], body: string): string {
  if (sources.length === 0) return body;
  const list = sources.join(', ');
  return /^with\s/.test(body) ? `with ${list}, ${body.slice('with '.length)}` : `with ${list} ${body}`;
}

/** A word of the body may only look like a CTE, so a step without rows is no source. */
function sourceSql(
  { name, body }: StepSource,
  results: ReadonlyMap<string, QueryResult>,
  parameters: Parameters,
): string[] {
  if (body !== undefined) return [`${name} as (${parameters.fill(body)})`];
  const result = results.get(name);
  if (result === undefined || result.fields.length === 0) return [];
  const columns = result.fields.map((field) => `"${field.name}" ${typeOf(field.dataTypeID)}`).join(', ');
  const rows = parameters.add(rowsAsJson(result));
  return [`${name} as (select * from json_to_recordset(${rows}::json) as r (${columns}))`];
}

/** Gives the parameters of a step new numbers, because PostgreSQL refuses a statement that leaves one out. */
class Parameters {
  readonly values: unknown[] = [];
  private readonly numbers = new Map<number, number>();

  constructor(private readonly allValues: readonly unknown[]) {}

  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  fill(template: Template): string {
    return fillTemplate(template, (number) => `$${this.newNumberOf(number)}`);
  }

  private newNumberOf(number: number): number {
    const known = this.numbers.get(number) ?? this.values.push(this.allValues[number - 1]);
    this.numbers.set(number, known);
    return known;
  }
}

function typeOf(oid: number): string {
  const type = TYPES[oid];
  if (type === undefined) throw new Error(`A step returned a column of the unknown type ${oid}`);
  return type;
}

/** A JSON value `null` becomes SQL's null, because `json_to_recordset` does not distinguish them. */
function rowsAsJson({ fields, rows }: QueryResult): string {
  return `[${(rows as Record<string, string | null>[]).map((row) => rowAsJson(row, fields)).join(',')}]`;
}

function rowAsJson(row: Readonly<Record<string, string | null>>, fields: QueryResult['fields']): string {
  const members = fields.map(({ name, dataTypeID }) => {
    const text = row[name] ?? null;
    return `${JSON.stringify(name)}:${dataTypeID in JSON_TYPES && text !== null ? text : JSON.stringify(text)}`;
  });
  return `{${members.join(',')}}`;
}
