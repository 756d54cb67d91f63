import {
  changedText,
  hasParent,
  nameOf,
  isError,
  isField,
  isFieldDropped,
  constantOf,
  JOINED_ID,
  EMPTY_DEFAULT,
  REDUNDANT_OPTIONS,
  S3_CLIENT_OPTIONS,
  isFlushing,
  isDefault,
  type Candidate,
} from './candidate.js';
import { rangeOf, type SyntaxNode } from './syntax.js';

interface Rule {
  /** Why no contract can distinguish the mutant from the unchanged code. */
  readonly reason: string;
  readonly covers: (candidate: Candidate) => boolean;
}

export const EQUIVALENCE_RULES: readonly Rule[] = [
  {
    reason: 'The text and the cause of an error are for people; ports promise its class.',
    covers: ({ source, change, parents }) =>
      (isFieldDropped(source, change, /^cause$/) && hasParent(parents, isError)) ||
      (change.operator === 'replace literal' && hasParent(parents, isError)) ||
      (change.operator === 'replace literal' && /^'[A-Z][a-z]* .+'$/.test(source.text(change))) ||
      /^\w+ instanceof Error$/.test(source.text(change)),
  },
  {
    reason: 'Outside `try`, returning a promise and returning its awaited value are the same.',
    covers: ({ change, parents }) =>
      change.operator === 'remove await' &&
      /^(?:ReturnStatement|ArrowFunctionExpression)$/.test(parents.at(-1)?.type ?? '') &&
      !hasParent(parents, ({ type }) => type === 'TryStatement'),
  },
  {
    reason: 'Timeouts and batch sizes are tuned by measurements, not promised.',
    covers: (candidate) =>
      (candidate.change.operator === 'drop fallback' && changedText(candidate).endsWith('MEGABYTES')) ||
      (candidate.statement === undefined &&
        /_MS$|_SECONDS$|TIMEOUT|_EFFORT$|^PNG_OPTIONS$|ELAPSED|AT_ONCE|PER_BATCH|CONCURRENT|MEGABYTES|^(?:MOST|MAX_READ|MAX_REMEMBERED$|FIRST|FEW|POOL|PART|CHUNK)_/.test(
          constantOf(candidate),
        )),
  },
  {
    reason: 'The length of random keys and pauses is chosen, not promised.',
    covers: ({ source, parents }) =>
      hasParent(
        parents,
        (node) => node.type === 'CallExpression' && /^(?:randomBytes|setTimeout)\(/.test(source.text(rangeOf(node))),
      ),
  },
  {
    reason: 'Two readings of the clock differ from a limit by exactly zero only by chance.',
    covers: ({ source, change }) =>
      change.operator === 'swap comparison' &&
      /(?:Date|performance)\.now\(\) - [\w.]+$/.test(source.text({ start: change.start - 40, end: change.start })),
  },
  {
    reason: 'Planner settings change no result.',
    covers: ({ statement = '' }) => /set_config\('(?:enable|plan)_/.test(statement),
  },
  {
    reason: '`offset 0` only prevents a join in the plan.',
    covers: (candidate) =>
      candidate.statement !== undefined &&
      candidate.source.text({ start: candidate.change.start - 8, end: candidate.change.start }) === 'offset 0',
  },
  {
    reason: '`limit 1` only saves work: callers read the first row.',
    covers: (candidate) =>
      candidate.statement !== undefined &&
      candidate.source.text({ start: candidate.change.start - 7, end: candidate.change.start }) === 'limit 1',
  },
  {
    reason: 'Lock order prevents deadlocks, which only concurrent calls run into. The fault runs test it.',
    covers: ({ change, statement = '' }) =>
      /^SQL: (?:drop order key|swap direction)$/.test(change.operator) &&
      /\bfor (?:no key )?(?:update|share)\b/.test(statement),
  },
  {
    reason:
      'Ids are unique over all apps; the app id only routes statements within a cluster. The one-app rule tests it.',
    covers: (candidate) =>
      candidate.change.operator === 'SQL: drop conjunct' && /^\w+\.app_id = \w+\.app_id$/.test(changedText(candidate)),
  },
  {
    reason: 'Ids are unique over all apps: a row that is joined by id to a row of an app belongs to that app.',
    covers: ({ change, siblings = [], source }) =>
      change.operator === 'SQL: drop conjunct' &&
      /^\(?\w*\.?app_id = (?:\$\d+|\$\{\w+\})(?:::\w+)?$/.test(source.text(change)) &&
      siblings.some((condition) => JOINED_ID.test(condition)),
  },
  {
    reason: 'The order of inserted rows only prevents deadlocks; no caller sees it.',
    covers: ({ change }) => change.operator.endsWith(' of insert'),
  },
  {
    reason: 'A connection runs statements in order, and COMMIT fails after a failed statement.',
    covers: ({ source, change, parents }) =>
      change.operator === 'remove await' &&
      source.file.startsWith('packages/database-postgres/') &&
      parents.at(-1)?.type === 'ExpressionStatement' &&
      /\b(?:transaction|sql)\b/.test(source.text(change)),
  },
  {
    reason: 'The declared lock order is an assertion for programmers.',
    covers: ({ source, change, parents }) =>
      [change, ...parents.slice(-3).map(rangeOf)].some((range) =>
        /^transaction\.locks\([^)]*\);?$/.test(source.text(range)),
      ),
  },
  {
    reason: 'The hint about many rows changes only the plan and the timeout.',
    covers: ({ source, change }) => /^transaction\.expectManyRows\(\);$/.test(source.text(change)),
  },
  {
    reason: 'Types require an empty default even where a look-up cannot miss.',
    covers: ({ source, change, parents }) =>
      (change.operator === 'drop fallback' && EMPTY_DEFAULT.test(source.text(change))) ||
      (change.operator === 'replace literal' && isDefault(source, change, parents.at(-1))),
  },
  {
    reason: 'Readers do not distinguish an `undefined` field from a missing one.',
    covers: ({ source, change }) =>
      change.operator === 'drop field' && /: undefined,?$/.test(source.text(change).trim()),
  },
  {
    reason: 'A batch may be smaller: the next batch takes the remaining items.',
    covers: ({ source, change }) => change.operator === 'cut by one' && /_AT_ONCE\b/.test(source.text(change)),
  },
  {
    reason: 'No test server has a certificate that Node trusts.',
    covers: ({ source, change, parents }) =>
      /\bservername:|^'https:'$/.test(source.text(change)) ||
      hasParent(parents, isField(/^servername$/)) ||
      hasParent(parents, (node) => /^[\w.]+ === 'https:'$/.test(source.text(rangeOf(node)))),
  },
  {
    reason: 'Pool sizes and idle times are tuned, not promised.',
    covers: ({ source, change, parents }) =>
      /^(?:minThreads|maxThreads|idleTimeout|idleMs|agent|queueSize|requestHandler)\b/.test(
        source.text(change).replace(/^,\s*/, ''),
      ) ||
      hasParent(parents, isField(/^(?:minThreads|maxThreads|agent|requestHandler)$/)) ||
      hasParent(parents, (node) => /^new FairQueue\([^()]*\)$/.test(source.text(rangeOf(node)))),
  },
  {
    reason: 'A missing flush shows only after a crash of the machine.',
    covers: ({ source, change, parents }) =>
      (/^(?:drop statement|remove await)$/.test(change.operator) &&
        /\b(?:sync|flush\w*)\(/.test(source.text(change))) ||
      (change.operator === 'return early' && isFlushing(source, change)) ||
      hasParent(
        parents,
        (node) => node.type === 'ForStatement' && /\)\s*await flushPath\(/.test(source.text(rangeOf(node))),
      ),
  },
  {
    reason: 'Contracts have no file system that is full, read-only or without links.',
    covers: ({ source, change, parents }) =>
      [change, ...parents.filter(({ type }) => type === 'CatchClause').map(rangeOf)].some((range) =>
        /'E(?!NO)[A-Z]+'|'ENOS[A-Z]+'/.test(source.text(range)),
      ),
  },
  {
    reason: 'The effort of encoders and the threads of libraries are tuned, not promised.',
    covers: ({ source, change, parents }) =>
      /^(?:,\s*)?(?:effort|mozjpeg|deflateLevel|filterType)\b/.test(source.text(change)) ||
      hasParent(parents, isField(/^(?:effort|mozjpeg)$/)) ||
      [change, ...parents.slice(-3).map(rangeOf)].some((range) =>
        /^sharp\.(?:concurrency|cache)\([^)]*\);?$/.test(source.text(range)),
      ),
  },
  {
    reason: 'Output of a library and leftover timers show only in a long-running process.',
    covers: ({ source, change }) =>
      /^(?:,\s*)?(?:stdout|stderr)\b|^(?:clearTimeout\(|[\w.?]+\.(?:un)?ref\()/.test(source.text(change)) ||
      (source.text(change) === 'true' &&
        /(?:stdout|stderr): $/.test(source.text({ start: change.start - 8, end: change.start }))),
  },
  {
    reason: 'No test file crashes the thread that reads it, fills its heap, or fails only while a page is drawn.',
    covers: ({ source, change, parents }) =>
      hasParent(parents, (node) =>
        /^(?:\(?(?:width|height) > 0\b.*|longestSide < Infinity)$/.test(source.text(rangeOf(node))),
      ) ||
      isFieldDropped(source, change, /^unreadable$/) ||
      hasParent(parents, (node) => /^return \{ error: messageOf\(error\) \};?$/.test(source.text(rangeOf(node)))) ||
      /^(?:,\s*)?(?:resourceLimits: \{ )?maxOldGenerationSizeMb\b|^[\w.]+\.on\('error'/.test(source.text(change)) ||
      hasParent(
        parents,
        (node) => node.type === 'CallExpression' && /^[\w.]+\.on\('error'/.test(source.text(rangeOf(node))),
      ),
  },
  {
    reason: 'A large image only waits for other large images, and a smaller source only saves memory.',
    covers: ({ source, change }) =>
      (change.operator === 'negate condition' && source.text(change) === 'isLarge') ||
      (source.file.endsWith('sharp-worker.ts') && isFieldDropped(source, change, /^width$/)),
  },
  {
    reason: 'A draft of a stored product is never fresh, so its flag is not read.',
    covers: ({ source, change, parents }) =>
      isFieldDropped(source, change, /^isChanged$/) || hasParent(parents, isField(/^isChanged$/)),
  },
  {
    reason: 'An unread body only keeps its connection open.',
    covers: ({ source, change }) => /^(?:await )?\w+\.body\?\.cancel\(\);?$/.test(source.text(change)),
  },
  {
    reason: 'Clean-up without `await` ends only microseconds later.',
    covers: ({ source, change, parents }) =>
      change.operator === 'remove await' &&
      parents.at(-1)?.type === 'ExpressionStatement' &&
      /\b(?:close|terminate|destroy|rm|cancel)\(/.test(source.text(change)),
  },
  {
    reason: 'The field repeats a default of the library or an earlier setting.',
    covers: ({ source, change, parents }) =>
      isFieldDropped(source, change, REDUNDANT_OPTIONS) || hasParent(parents, isField(REDUNDANT_OPTIONS)),
  },
  {
    reason: 'Only storage services that the tests do not have need it.',
    covers: ({ source, change, parents }) =>
      isFieldDropped(source, change, S3_CLIENT_OPTIONS) ||
      hasParent(parents, isField(S3_CLIENT_OPTIONS)) ||
      /^'(?:NoSuchKey|NotFound)'$/.test(source.text(change)) ||
      hasParent(parents, (node) => source.text(rangeOf(node)).startsWith("name === 'NoSuchKey' ||")) ||
      hasParent(parents, (node) => source.text(rangeOf(node)).startsWith('async function* sliceRange')),
  },
  {
    reason: 'Rows in memory are ordered by id, and sorting is stable.',
    covers: ({ source, change }) =>
      source.file.startsWith('packages/database-memory/') &&
      /^(?:,\s*)?\((?:\{ id \}|\w+)\) => (?:\w+\.)?id$/.test(source.text(change)) &&
      change.operator === 'drop item',
  },
  {
    reason: 'Daily jobs follow the clock of the server, which no suite moves. Each adapter tests them.',
    covers: ({ source, parents }) =>
      source.file.includes('/media/') &&
      hasParent(parents, (node) =>
        /^(?:addDaily|lastTime|DAILY)$/.test(nameOf((node['key'] ?? node['identifier'] ?? node['id']) as SyntaxNode)),
      ),
  },
  {
    reason: 'A contract cannot lose the connection. `database.pg.test.ts` does.',
    covers: ({ source, parents }) =>
      /\/(?:postgres|client-transaction)\.ts$/.test(source.file) &&
      hasParent(parents, ({ type }) => type === 'CatchClause' || type === 'ThrowStatement'),
  },
];

/** Returns why the suites need not find the change; `undefined` when a test must find it. */
export function reasonToSkip(candidate: Candidate): string | undefined {
  return EQUIVALENCE_RULES.find(({ covers }) => covers(candidate))?.reason;
}
