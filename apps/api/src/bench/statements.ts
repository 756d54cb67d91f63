import pg from 'pg';
import { median } from './load.js';
import { print } from './measure.js';
import { startMessageProxy } from './message-proxy.js';

const NOTICE = 'N';
const MAX_TEXT_LENGTH = 80;
const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_wal': 'on',
  'auto_explain.log_triggers': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

interface PlanNode {
  readonly 'CTE Name'?: string;
  readonly 'Subplan Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'WAL Bytes'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Explained {
  readonly 'Query Text': string;
  readonly Plan: PlanNode;
  readonly Triggers?: readonly { readonly Time: number; readonly Calls: number }[];
}

/** Statements that run less often per unit of work fill caches. */
const MIN_PER_RUN = 0.5;
const KEYS = ['ms', 'checks', 'checkMs', 'blocks', 'walBytes'] as const;

type Totals = Record<(typeof KEYS)[number], number>;

interface Measured {
  readonly text: string;
  /** With the checks of foreign keys. */
  readonly ms: number;
  readonly checks: number;
  readonly checkMs: number;
  readonly blocks: number;
  readonly walBytes: number;
}

export interface ExplainedServer {
  run(): Promise<unknown>;
  stop(): void;
}

/**
 * Prints what PostgreSQL does for each statement of the given work: time, checks of foreign keys, blocks that it reads,
 * and WAL. PostgreSQL explains the statements in the sessions of the server, so plans and parameters are the real ones.
 */
export async function explainStatements(
  databaseUrl: string,
  runs: number,
  start: (url: string) => Promise<ExplainedServer>,
): Promise<void> {
  const measured: Measured[] = [];
  const proxy = await startMessageProxy(databaseUrl, {
    onAnswer: (type, content) => {
      if (type === NOTICE) measured.push(...explainedIn(content));
    },
  });
  await alterDatabase(databaseUrl, (database) =>
    Object.entries(SETTINGS).map(([name, value]) => `alter database ${database} set ${name} = '${value}'`),
  );
  const server = await start(proxy.url);
  try {
    // The first runs plan the statements and fill the caches.
    for (let run = 0; run < runs; run += 1) await server.run();
    measured.length = 0;
    for (let run = 0; run < runs; run += 1) await server.run();
  } finally {
    server.stop();
    proxy.stop();
    await alterDatabase(databaseUrl, (database) => [`alter database ${database} reset all`]);
  }
  report(measured, runs);
}

async function alterDatabase(databaseUrl: string, statementsFor: (database: string) => string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const database = client.escapeIdentifier(new URL(databaseUrl).pathname.slice(1));
  await client.query(statementsFor(database).join(';'));
  await client.end();
}

/** The message of a notice follows the letter M, and ends with a zero byte. */
function explainedIn(notice: Buffer): Measured[] {
  const message = notice
    .toString('utf8')
    .split('\0')
    .find((field) => field.startsWith('M'));
  const start = message?.indexOf('{') ?? -1;
  if (message === undefined || start === -1 || !message.includes(' plan:')) return [];
  const { 'Query Text': text, Plan: plan, Triggers: triggers = [] } = JSON.parse(message.slice(start)) as Explained;
  const nodes = [plan, ...unreadWritesOf(plan)];
  return [
    {
      text,
      ms: Number(/duration: ([\d.]+) ms/.exec(message)?.[1]),
      checks: sumOf(triggers, ({ Calls: calls }) => calls),
      checkMs: sumOf(triggers, ({ Time: ms }) => ms),
      blocks: sumOf(nodes, (node) => node['Shared Hit Blocks'] + node['Shared Read Blocks']),
      walBytes: sumOf(nodes, (node) => node['WAL Bytes'] ?? 0),
    },
  ];
}

/** The figures of a plan do not include those parts of the statement that write but that no other part reads. */
function unreadWritesOf(plan: PlanNode): PlanNode[] {
  const nodes = nodesOf(plan);
  const readNames = new Set(nodes.map((node) => node['CTE Name']));
  return nodes.filter(({ 'Subplan Name': name = '' }) => name.startsWith('CTE ') && !readNames.has(name.slice(4)));
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function startOf(statement: string): string {
  return statement
    .replaceAll(/[\s|]+/g, ' ')
    .trim()
    .slice(0, MAX_TEXT_LENGTH);
}

function sumOf<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + valueOf(item), 0);
}

function report(measured: readonly Measured[], runs: number): void {
  const byText = new Map<string, Measured[]>();
  for (const entry of measured) byText.set(entry.text, [...(byText.get(entry.text) ?? []), entry]);
  const totals: Totals = { ms: 0, checks: 0, checkMs: 0, blocks: 0, walBytes: 0 };
  print('\n| statement | each run | ms | checks of foreign keys | ms of the checks | blocks | WAL, bytes |');
  print('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const [text, group] of byText) {
    const perRun = group.length / runs;
    if (perRun < MIN_PER_RUN) continue;
    const medians = { ...totals };
    for (const key of KEYS) {
      // Medians leave out the rare runs that write whole pages to the WAL after a checkpoint.
      medians[key] = median(group.map((entry) => entry[key]));
      totals[key] += medians[key] * perRun;
    }
    print(`| ${startOf(text)} | ${perRun.toFixed(1)} | ${cellsOf(medians)} |`);
  }
  print(`| all | | ${cellsOf(totals)} |`);
}

function cellsOf({ ms, checks, checkMs, blocks, walBytes }: Totals): string {
  return [ms.toFixed(2), checks.toFixed(0), checkMs.toFixed(2), blocks.toFixed(0), walBytes.toFixed(0)].join(' | ');
}
