import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from './testing/free-port.js';
import { startServer, type ServerProcess } from './testing/server-process.js';
import { type TestDatabase, makeTestDatabase } from '@back-office/database-postgres/testing';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

let database: TestDatabase;
let server: ServerProcess;
let dataDir: string;

beforeAll(async () => {
  database = await makeTestDatabase();
  // File URLs contain the port, so the port must be known before the service starts.
  const PORT = String(await freePort());
  dataDir = await mkdtemp(join(tmpdir(), 'readme-'));
  server = await startServer({ DATABASE_URL: database.url, DATA_DIR: dataDir, LOG_LEVEL: 'silent', PORT });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Returns the shell blocks after the marker `walk` in a document, joined to one script. */
function walkOf(document: string): string {
  const [, walk = ''] = readFileSync(ROOT + document, 'utf8').split('<!-- walk -->');
  return [...walk.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('');
}

async function run(script: string): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DATABASE_URL: database.url, DATA_DIR: dataDir };
  const commands = script.replaceAll('http://localhost:3000', server.origin);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], { cwd: ROOT, env });
  return stdout;
}

describe('the walk of the README', () => {
  it('ends with an order that has the right amounts', async () => {
    const answers = (await run(walkOf('README.md'))).replaceAll('}{', '}\n{').trim().split('\n');
    const order = JSON.parse(answers.at(-1) ?? '').data;
    expect(order).toMatchObject({ sales: 4470, end_sales: 4470, vat: 745, net_sales: 3725, paid: 4470, debt: 0 });
    expect(order.items.map(({ code, qty }: { code: string; qty: number }) => `${qty} ${code}`)).toEqual([
      '2 TEE-M',
      '1 TEE-L',
    ]);
    expect(order.payments.map(({ amount }: { amount: number }) => amount)).toEqual([5960, -1490]);
  }, 60_000);
});

describe('the walk of the quickstart', () => {
  it('ends with a paid order that has tags', async () => {
    const answers = (await run(walkOf('docs/quickstart.md')))
      .replaceAll(/\}(?=\{|HTTP)/g, '}\n')
      .trim()
      .split('\n');
    const order = JSON.parse(answers.findLast((answer) => answer.includes('"order_number"')) ?? '').data;
    expect(JSON.parse(answers.at(-1) ?? '')).toMatchObject({
      data: { updated: 1, failed: [], movement_ids: [expect.any(Number)] },
    });
    expect(order).toMatchObject({ end_sales: 239.8, paid: 239.8, debt: 0, currency_id: 978, tags: ['fragile'] });
    expect(order.items).toMatchObject([{ code: 'BOOT-42', qty: 2, warehouse_code: 'SOUTH' }]);
    const staleAnswers = answers.filter((answer) => answer.includes('API.OrderProcessings.StaleEvaluation'));
    const excess = answers.filter((answer) => answer.includes('Payment amount exceeds order debt'));
    expect([staleAnswers.length, excess.length]).toEqual([1, 1]);
    const output = answers.join('\n');
    expect(output).toMatch(/"entity_type" : "product"|"entity_type":"product"/);
    expect(output).toContain('"message":"The file is in Trash"');
    expect(output).toContain('"message":"The file is removed"');
    expect(output.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
  }, 60_000);
});

describe('the walk of the ERP recipes', () => {
  it('books a statement once, and ends with a shipped order', async () => {
    const answers = (await run(walkOf('docs/erp-recipes.md'))).replaceAll('}{', '}\n{').trim().split('\n');
    const output = answers.join('\n');
    expect(output).toContain('"API.Products.');
    expect(output).toContain('"API.Stocks.ExpectedQtyDiffers"');
    expect(output).toContain('{"imported":1,"skipped":0,"failed":0,');
    const paid = answers
      .filter((answer) => answer.includes('"payment_instructions"'))
      .map((answer) => JSON.parse(answer));
    expect(paid.slice(0, 2).map(({ data }) => [data.paid, data.debt])).toEqual([
      [2980, 0],
      [2980, 0],
    ]);
    expect(answers.at(-2)).toBe('{"data":{"updated":1,"failed":[]}}');
    expect(JSON.parse(answers.at(-1) ?? '').data).toMatchObject([{ on_hand: 7, reserved: 0 }]);
  }, 60_000);
});
