import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';

const PAGE_PATH = fileURLToPath(new URL('../../../../docs/performance.md', import.meta.url));

/** The hand-written notes start at this heading; new figures replace only the text above it. */
const NOTES_HEADING = '## Where the time goes';

/** Writes the figures of one run and a description of the machine to the performance page. */
export async function writePerformance(lines: readonly string[]): Promise<void> {
  const [cpu] = cpus();
  const machine = [
    `${availableParallelism()} cores (${cpu?.model.trim() ?? 'unknown'})`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node ${process.version}`,
    process.platform,
  ];
  const page = `# Performance

Compare ratios, not rates. The machine was shared, so rates vary from run to run.

\`npm run bench\` wrote this page on ${new Date().toISOString().slice(0, 10)}, in one run. Database, service and load shared the machine: ${machine.join(', ')}.

The tables compare three servers:

- The **floor** is a minimal \`node:http\` server. It answers the same request with one prepared statement, in which the database formats the JSON.
- The **Express floor** is the same server with Express.
- The **service** also checks tokens, validates input, applies rules, handles idempotency keys and writes the stock ledger.

All servers use the same database with the same records. The benchmark warms them up, for 30 seconds before lifecycles, and measures them in turn, in several rounds. Figures are medians. The column "must" has the goal.
${lines.join('\n')}
`;
  const notes = (await readFile(PAGE_PATH, 'utf8')).split(NOTES_HEADING)[1];
  const fullPage = notes === undefined ? page : `${page}\n${NOTES_HEADING}${notes}`;
  await writeFile(PAGE_PATH, (await format(PAGE_PATH, fullPage)).code);
}
