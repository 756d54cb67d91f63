import { readWithStatement, tokensOf, type CommonTableExpression } from './common-table-expressions.js';
import { tablesRead } from './tables-read.js';
import { templateOf, type Template } from './template.js';

/** A CTE that a step reads. Without a body, it is the result of an earlier step. */
export interface StepSource {
  readonly name: string;
  readonly body?: Template;
}

export interface Step {
  /** The name of the CTE; absent for the statement after the CTEs. */
  readonly name?: string;
  readonly body: Template;
  readonly sources: readonly StepSource[];
}

interface Part {
  readonly name: string;
  readonly body: Template;
  readonly words: ReadonlySet<string>;
  /** Reads only parameters and other CTEs, so that every step can contain it. */
  readonly isDerived: boolean;
  readonly sources: readonly Part[];
}

const MAIN = '';
const WRITES = ['insert', 'update', 'delete'] as const;
const VOLATILE = [
  'nextval',
  'currval',
  'random',
  'clock_timestamp',
  'gen_random_uuid',
  'set_config',
  'pg_advisory_xact_lock',
] as const;

/**
 * Returns the steps of a write in which an INSERT reads the rows of another part. Citus would send these rows to all
 * nodes, and would fail if any node is down. Returns `undefined` for a write that Citus runs on one node. Throws for a
 * recursive WITH list, and for one with names of columns.
 */
export function findSteps(text: string): readonly Step[] | undefined {
  const statement = readWithStatement(text);
  if (statement === undefined) return undefined;
  const parts = partsOf([...statement.expressions, { name: MAIN, body: statement.main }]);
  const steps = parts.filter(({ isDerived }) => !isDerived);
  const insertsOtherPart = steps.some(({ words, sources }) => words.has('insert') && sources.length > 0);
  return steps.length > 1 && insertsOtherPart ? steps.map(stepOf) : undefined;
}

function partsOf(expressions: readonly CommonTableExpression[]): Part[] {
  const parts: Part[] = [];
  for (const { name, body } of expressions) {
    const earlierNames = new Set(parts.map((part) => part.name));
    const words = new Set(tokensOf(body).map((token) => token.text));
    const isDerived =
      name !== MAIN &&
      [...WRITES, ...VOLATILE].every((word) => !words.has(word)) &&
      tablesRead(body).every((table) => earlierNames.has(table));
    parts.push({ name, body: templateOf(body.trim()), words, isDerived, sources: sourcesOf(words, parts) });
  }
  return parts;
}

/** Returns the earlier parts that a part with these words reads, also through derived parts, in their order. */
function sourcesOf(words: ReadonlySet<string>, earlierParts: readonly Part[]): readonly Part[] {
  const readParts = earlierParts.filter(({ name }) => words.has(name));
  const needed = new Set(readParts.flatMap((part) => (part.isDerived ? [...part.sources, part] : [part])));
  return earlierParts.filter((part) => needed.has(part));
}

function stepOf({ name, body, sources }: Part): Step {
  return {
    ...(name !== MAIN && { name }),
    body,
    sources: sources.map((source) =>
      source.isDerived ? { name: source.name, body: source.body } : { name: source.name },
    ),
  };
}
