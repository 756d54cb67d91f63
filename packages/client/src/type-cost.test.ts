import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** openapi-fetch takes about 175,000 for such a program. */
const MAX_INSTANTIATIONS = 100_000;
const TYPESCRIPT = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');
const OPTIONS =
  '--noEmit --strict --skipLibCheck --extendedDiagnostics --target es2023 --module nodenext --lib es2023,dom,dom.iterable';

const run = promisify(execFile);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'back-office-types-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Checks a program that uses the built package, and returns the number of type instantiations. */
async function countInstantiations(statements: string): Promise<number> {
  const path = join(folder, 'program.mts');
  const client = join(import.meta.dirname, '../dist/index.js');
  await writeFile(
    path,
    `import { createClient } from ${JSON.stringify(client)};
const client = createClient({ baseUrl: 'https://shop.example/api/v2', token: 'token' });
${statements}`,
  );
  const { stdout } = await run(process.execPath, [TYPESCRIPT, ...OPTIONS.split(' '), path], { cwd: folder });
  const [, count = ''] = /Instantiations:\s+(\d+)/.exec(stdout) ?? [];
  return Number(count);
}

describe('the types of a call', () => {
  it.each([
    `const page = await client.get('/proforma_orders', { query: { limit: 10 } });
     console.log(page.data[0]?.proforma_number);`,
    `for await (const stock of client.all('/stocks', { query: { limit: 10 } })) console.log(stock.on_hand);`,
    `const page = await client.get('/events', {});
     for (const event of page.data.events)
       if (event.type === 'order.created') console.log(event.data?.order_number);`,
  ])('cost the compiler little: %s', async (statements) => {
    const count = await countInstantiations(statements);
    expect(count).toBeGreaterThan(100);
    expect(count).toBeLessThan(MAX_INSTANTIATIONS);
  });

  it('require the parameters and the body that the call requires', async () => {
    const statements = `
      await client.delete('/sessions/current');
      // @ts-expect-error
      await client.get('/orders/{id}');
      // @ts-expect-error
      await client.post('/access_tokens');
      // @ts-expect-error
      await client.get('/proforma_orders', { query: { limit: true } });`;
    expect(await countInstantiations(statements)).toBeLessThan(MAX_INSTANTIATIONS);
  });
});
