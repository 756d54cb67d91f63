import { readWithStatement, tokensOf, type CommonTableExpression } from './common-table-expressions.js';
import { tablesRead } from './tables-read.js';

/** A CTE that a step reads. Without a body, it is the result of an earlier step. */
export interface StepSource {
  readonly name: string;
  readonly body?: string;
}

export interface Step {
  /** The name of the CTE; absent for the statement after the CTEs. */
  readonly name?: string;
  readonly body: string;
  readonly sources: readonly StepSource[];
}

interface Part extends CommonTableExpression {
  readonly words: ReadonlySet<string>;
  /** Reads only parameters and other CTEs, so that every step can contain it. */
  readonly isDerived: boolean;
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
 * Returns the steps of a statement in which an INSERT reads the rows of another part. Citus would send these rows to all
 * nodes, and would fail if any node is down. Returns `undefined` for a statement that Citus runs on one node. Throws for
 * a recursive WITH list, and for one with names of columns.
 */
export function findSteps(text: string): readonly Step[] | undefined {
  if (!text.includes('insert into') || tokensOf(text)[0]?.text !== 'with') return undefined;
  const statement = readWithStatement(text);
  if (statement === undefined) throw new Error(`A cluster cannot run this statement in steps: ${text}`);
  const parts = partsOf([...statement.expressions, { name: MAIN, body: statement.main }]);
  const steps = parts.filter(({ isDerived }) => !isDerived).map((part) => stepOf(part, parts));
  return steps.length > 1 && steps.some(isInsertOfOtherPart) ? steps : undefined;
}

function partsOf(expressions: readonly CommonTableExpression[]): Part[] {
  return expressions.map(({ name, body }, index) => {
    const earlierNames = new Set(expressions.slice(0, index).map((earlier) => earlier.name));
    const words = new Set(tokensOf(body).map((token) => token.text));
    const isDerived =
      name !== MAIN &&
      [...WRITES, ...VOLATILE].every((word) => !words.has(word)) &&
      tablesRead(body).every((table) => earlierNames.has(table));
    return { name, body, words, isDerived };
  });
}

function stepOf(part: Part, parts: readonly Part[]): Step {
  const needed = new Set<Part>();
  collectSources(part, parts, needed);
  const sources = parts
    .filter((each) => needed.has(each))
    .map(({ name, body, isDerived }) => (isDerived ? { name, body } : { name }));
  return { ...(part.name !== MAIN && { name: part.name }), body: part.body, sources };
}

function collectSources(part: Part, parts: readonly Part[], needed: Set<Part>): void {
  for (const other of parts.slice(0, parts.indexOf(part))) {
    if (needed.has(other) || !part.words.has(other.name)) continue;
    needed.add(other);
    if (other.isDerived) collectSources(other, parts, needed);
  }
}

function isInsertOfOtherPart({ body, sources }: Step): boolean {
  return body.includes('insert into') && sources.length > 0;
}
