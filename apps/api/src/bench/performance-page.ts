import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const PAGE = fileURLToPath(new URL('../../../../docs/performance.md', import.meta.url));

/** Heading of the hand-written notes, which stay when the figures are replaced. */
const NOTES_HEADING = '## Where the time goes';

/** Writes the figures of one run and describes the machine. */
export async function writePerformance(lines: readonly string[]): Promise<void> {
  const [cpu] = cpus();
  const machine = [
    `${availableParallelism()} cores (${cpu?.model.trim() ?? 'unknown'})`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node ${process.version}`,
    process.platform,
  ];
  const page = `# Performance

Read the ratios, not the rates: rates of a shared machine say little.

\`npm run bench\` wrote this page on ${new Date().toISOString().slice(0, 10)}, in one run. Database, service and load shared the machine: ${machine.join(', ')}.

- The **floor** is a bare \`node:http\` server. It answers the same question with one prepared statement whose JSON the database makes.
- The **Express floor** is the same behind Express.
- The service also does tokens, validation, rules, idempotency, the ledger of stock and error shapes.

All systems use the same database with the same data. They are asked in turn, round after round, when they are warm; figures are medians.
${lines.join('\n')}
`;
  const notes = (await readFile(PAGE, 'utf8')).split(NOTES_HEADING)[1];
  const fullPage = notes === undefined ? page : `${page}\n${NOTES_HEADING}${notes}`;
  await writeFile(PAGE, await format(fullPage, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
}
