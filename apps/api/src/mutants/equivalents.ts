import {
  changed,
  has,
  nameOf,
  isError,
  isField,
  isFieldDropped,
  constantOf,
  IS_TIED,
  EMPTY_DEFAULT,
  SETTLED_FIELDS,
  SERVICE_FIELDS,
  isFlushing,
  isDefault,
  type Candidate,
} from './candidate.js';
import { rangeOf, type SyntaxNode } from './syntax.js';

interface Rule {
  /** Why no contract can, or should, tell such a mutant from the original. */
  readonly reason: string;
  readonly covers: (candidate: Candidate) => boolean;
}

export const EQUIVALENTS: readonly Rule[] = [
  {
    reason: 'The text of an error is for people; ports promise its class.',
    covers: ({ source, change, parents }) =>
      (change.operator === 'replace literal' && has(parents, isError)) ||
      (change.operator === 'replace literal' && /^'[A-Z][a-z]* .+'$/.test(source.text(change))) ||
      /^\w+ instanceof Error$/.test(source.text(change)),
  },
  {
    reason: 'A function that returns a promise and one that awaits it first return the same, outside `try`.',
    covers: ({ change, parents }) =>
      change.operator === 'remove await' &&
      /^(?:ReturnStatement|ArrowFunctionExpression)$/.test(parents.at(-1)?.type ?? '') &&
      !has(parents, ({ type }) => type === 'TryStatement'),
  },
  {
    reason: 'How long and how much at once is tuned by measurements, not promised.',
    covers: (candidate) =>
      candidate.statement === undefined &&
      /_MS$|_SECONDS$|TIMEOUT|_EFFORT$|^PNG_OPTIONS$|AT_ONCE|CONCURRENT|MEGABYTES|^(?:MOST|MAX_READ|FIRST|FEW|POOL|PART|CHUNK)_/.test(
        constantOf(candidate),
      ),
  },
  {
    reason: 'Settings of the planner change no answer.',
    covers: ({ statement = '' }) => /set_config\('(?:enable|plan)_/.test(statement),
  },
  {
    reason: '`offset 0` only keeps the planner from a join.',
    covers: (candidate) =>
      candidate.statement !== undefined &&
      candidate.source.text({ start: candidate.change.start - 8, end: candidate.change.start }) === 'offset 0',
  },
  {
    reason: '`limit 1` only spares work: callers read the first row.',
    covers: (candidate) =>
      candidate.statement !== undefined &&
      candidate.source.text({ start: candidate.change.start - 7, end: candidate.change.start }) === 'limit 1',
  },
  {
    reason: 'Rows are locked in an order against deadlocks, which only many calls at once run into: the fault runs do.',
    covers: ({ change, statement = '' }) =>
      /^SQL: (?:drop order key|swap direction)$/.test(change.operator) &&
      /\bfor (?:no key )?(?:update|share)\b/.test(statement),
  },
  {
    reason: 'Ids are unique over all apps: beside them the app routes within a cluster. The one-app rule holds it.',
    covers: (candidate) =>
      candidate.change.operator === 'SQL: drop conjunct' && /^\w+\.app_id = \w+\.app_id$/.test(changed(candidate)),
  },
  {
    reason: 'Ids are unique over all apps: a row that an id ties to a row of the app is of that app.',
    covers: ({ change, besides = [], source }) =>
      change.operator === 'SQL: drop conjunct' &&
      /^\(?\w*\.?app_id = (?:\$\d+|\$\{\w+\})(?:::\w+)?$/.test(source.text(change)) &&
      besides.some((condition) => IS_TIED.test(condition)),
  },
  {
    reason: 'New rows are written in an order against deadlocks, and nobody is given them in that order.',
    covers: ({ change }) => change.operator.endsWith(' of insert'),
  },
  {
    reason: 'A connection runs its statements in their order, and COMMIT fails once one of them has.',
    covers: ({ source, change, parents }) =>
      change.operator === 'remove await' &&
      source.file.startsWith('packages/database-postgres/') &&
      parents.at(-1)?.type === 'ExpressionStatement' &&
      /\b(?:transaction|sql)\b/.test(source.text(change)),
  },
  {
    reason: 'The declared order of locks is an assertion: it throws for whoever programs against it.',
    covers: ({ source, change, parents }) =>
      [change, ...parents.slice(-3).map(rangeOf)].some((range) =>
        /^transaction\.locks\([^)]*\);?$/.test(source.text(range)),
      ),
  },
  {
    reason: 'Many rows are only planned differently, and given more time.',
    covers: ({ source, change }) => /^transaction\.expectManyRows\(\);$/.test(source.text(change)),
  },
  {
    reason: 'Types ask for an empty default where a look-up cannot miss.',
    covers: ({ source, change, parents }) =>
      (change.operator === 'drop fallback' && EMPTY_DEFAULT.test(source.text(change))) ||
      (change.operator === 'replace literal' && isDefault(source, change, parents.at(-1))),
  },
  {
    reason: 'A field of `undefined` and a missing one are the same to whoever reads it.',
    covers: ({ source, change }) =>
      change.operator === 'drop field' && /: undefined,?$/.test(source.text(change).trim()),
  },
  {
    reason: 'A batch may be smaller: what is left over is for the next one.',
    covers: ({ source, change }) => change.operator === 'cut by one' && /_AT_ONCE\b/.test(source.text(change)),
  },
  {
    reason: 'No server of a test has a certificate that Node trusts.',
    covers: ({ source, change, parents }) =>
      /\bservername:|^'https:'$/.test(source.text(change)) ||
      has(parents, isField(/^servername$/)) ||
      has(parents, (node) => /^[\w.]+ === 'https:'$/.test(source.text(rangeOf(node)))),
  },
  {
    reason: 'How many threads, processes and connections there are, and how long they idle, is tuned.',
    covers: ({ source, change, parents }) =>
      /^(?:minThreads|maxThreads|idleTimeout|agent|queueSize|requestHandler)\b/.test(
        source.text(change).replace(/^,\s*/, ''),
      ) || has(parents, isField(/^(?:minThreads|maxThreads|agent|requestHandler)$/)),
  },
  {
    reason: 'What is flushed to the disk shows only after a crash of the machine.',
    covers: ({ source, change }) =>
      (/^(?:drop statement|remove await)$/.test(change.operator) &&
        /\b(?:sync|flush\w*)\(/.test(source.text(change))) ||
      (change.operator === 'return early' && isFlushing(source, change)),
  },
  {
    reason: 'File systems that are full, read-only or without links are not at hand.',
    covers: ({ source, change, parents }) =>
      [change, ...parents.filter(({ type }) => type === 'CatchClause').map(rangeOf)].some((range) =>
        /'E(?!NO)[A-Z]+'|'ENOS[A-Z]+'/.test(source.text(range)),
      ),
  },
  {
    reason: 'How hard an encoder tries, and how many threads a library takes, is tuned.',
    covers: ({ source, change, parents }) =>
      /^(?:,\s*)?(?:effort|mozjpeg|deflateLevel|filterType)\b/.test(source.text(change)) ||
      has(parents, isField(/^(?:effort|mozjpeg)$/)) ||
      [change, ...parents.slice(-3).map(rangeOf)].some((range) =>
        /^sharp\.(?:concurrency|cache)\([^)]*\);?$/.test(source.text(range)),
      ),
  },
  {
    reason: 'What a library prints, and a timer that goes on, show only in a process that runs on.',
    covers: ({ source, change }) =>
      /^(?:,\s*)?(?:stdout|stderr)\b|^(?:clearTimeout\(|[\w.?]+\.(?:un)?ref\()/.test(source.text(change)) ||
      (source.text(change) === 'true' &&
        /(?:stdout|stderr): $/.test(source.text({ start: change.start - 8, end: change.start }))),
  },
  {
    reason: 'No file at hand takes down the thread that reads it, or fills its heap.',
    covers: ({ source, change, parents }) =>
      /^(?:,\s*)?(?:resourceLimits: \{ )?maxOldGenerationSizeMb\b|^[\w.]+\.on\('error'/.test(source.text(change)) ||
      (source.text(change) === "'error'" && /^[\w.]+\.on\(/.test(source.text(rangeOf(parents.at(-1) as SyntaxNode)))),
  },
  {
    reason: 'Whether clean-up has ended when a call returns is a matter of microseconds.',
    covers: ({ source, change, parents }) =>
      change.operator === 'remove await' &&
      parents.at(-1)?.type === 'ExpressionStatement' &&
      /\b(?:close|terminate|destroy|rm|cancel)\(/.test(source.text(change)),
  },
  {
    reason: 'It repeats a default of the library, or what was settled before the call.',
    covers: ({ source, change, parents }) =>
      isFieldDropped(source, change, SETTLED_FIELDS) || has(parents, isField(SETTLED_FIELDS)),
  },
  {
    reason: 'Other services than the one at hand need it.',
    covers: ({ source, change, parents }) =>
      isFieldDropped(source, change, SERVICE_FIELDS) ||
      has(parents, isField(SERVICE_FIELDS)) ||
      /^'(?:NoSuchKey|NotFound)'$/.test(source.text(change)),
  },
  {
    reason: 'Rows in memory come in the order of their ids, and sorting is stable.',
    covers: ({ source, change }) =>
      source.file.startsWith('packages/database-memory/') &&
      /^(?:,\s*)?\((?:\{ id \}|\w+)\) => (?:\w+\.)?id$/.test(source.text(change)) &&
      change.operator === 'drop item',
  },
  {
    reason: 'Daily jobs go by the clock of the server, which no suite moves. Each adapter has a test of them.',
    covers: ({ source, parents }) =>
      source.file.includes('/media/') &&
      has(parents, (node) =>
        /^(?:addDaily|lastTime|DAILY)$/.test(nameOf((node['key'] ?? node['identifier'] ?? node['id']) as SyntaxNode)),
      ),
  },
  {
    reason: 'A contract cannot lose the connection. `database.db.test.ts` does.',
    covers: ({ source, parents }) =>
      /\/(?:postgres|client-transaction)\.ts$/.test(source.file) &&
      has(parents, ({ type }) => type === 'CatchClause' || type === 'ThrowStatement'),
  },
];

/** The reason why a change need not be found, where there is one. */
export function reasonToSkip(candidate: Candidate): string | undefined {
  return EQUIVALENTS.find(({ covers }) => covers(candidate))?.reason;
}
