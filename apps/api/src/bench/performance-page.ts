import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const PAGE = fileURLToPath(new URL('../../../../docs/performance.md', import.meta.url));

/** What people have found out about the figures: it is written by hand, and stays when they are measured again. */
const NOTES = '## Where the time goes';

/** Writes what one run has measured, and where. */
export async function writePerformance(lines: readonly string[]): Promise<void> {
  const [cpu] = cpus();
  const machine = [
    `${availableParallelism()} cores (${cpu?.model.trim() ?? 'unknown'})`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node ${process.version}`,
    process.platform,
  ];
  const page = `# Performance

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}, in one run, on this machine: ${machine.join(', ')}. Database, service and load shared it. To repeat it: \`npm run bench\` (about half an hour on an idle machine; \`--scale 0.1\` for a tenth of the data), with \`DATABASE_URL\` for a PostgreSQL of your own, or without for the embedded one.

Rates of a shared machine say little by themselves; ratios say more. The **floor** is a bare \`node:http\` server that answers the same question with one prepared statement whose JSON is made by the database; the **Express floor** is the same behind Express. Both run on the same database with the same data, and all systems are asked in turn, round after round, when they are warm; figures are medians. What the service does beside: tokens, validation, rules, idempotency, the ledger of stock, error shapes.
${lines.join('\n')}
`;
  const notes = (await readFile(PAGE, 'utf8')).split(NOTES)[1];
  const whole = notes === undefined ? page : `${page}\n${NOTES}${notes}`;
  await writeFile(PAGE, await format(whole, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
}
