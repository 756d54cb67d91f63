import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { testApi, type TestApi } from '../../apps/api/src/testing/test-api.js';
import { WALK_BODIES, WALK_DATA, WALKS } from './client-walks.js';
import { postmanWalkOf, requestsIn, type PostmanCollection } from './postman-walk.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ADDRESS = 'http://localhost:3000';
const PAGE = readFileSync(`${ROOT}docs/client.md`, 'utf8');
const [CLIENT_PART = '', ...GENERATOR_PARTS] = PAGE.split('<!-- generate: ');
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    skipLibCheck: true,
  },
  include: ['*.ts'],
};
/** Replaces `npx`: runs the installed version, and fails if the page names a different version. */
const NPX = `#!/bin/sh
set -eu
command=$1; shift
name=\${command%@*}
grep -q "\\"$name\\": \\"\${command##*@}\\"" ${ROOT}tools/package.json
case $name in
  @hey-api/openapi-ts) name=openapi-ts ;;
  openapi-to-postmanv2) name=openapi2postmanv2 ;;
esac
exec "$name" "$@"
`;

let api: TestApi;
let folder: string;

const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block);
const partOf = (name: string): string => GENERATOR_PARTS.find((part) => part.startsWith(`${name} -->`)) ?? '';
const localize = (text: string): string => text.replaceAll(ADDRESS, api.origin);

async function runCommands(name: string, token: string): Promise<string> {
  const path = [folder, `${ROOT}tools/node_modules/.bin`, process.env['PATH']];
  const env = { ...process.env, PATH: path.join(delimiter), TOKEN: token, NO_UPDATE_NOTIFIER: '1' };
  const script = localize(blocksOf(partOf(name), 'sh').join(''));
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env, maxBuffer: 2 ** 26 });
  return stdout;
}

async function runModule(name: string, token: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({ entryPoints: [join(folder, `${name}.ts`)], outfile, bundle: true, platform: 'node', format: 'esm' });
  const env = { ...process.env, ORIGIN: api.origin, TOKEN: token };
  return (await run(process.execPath, [outfile], { cwd: folder, env })).stdout;
}

beforeAll(async () => {
  api = await testApi();
  // Only a folder below `tools` finds the packages there and those of the root.
  await mkdir(join(ROOT, 'tools/.cache'), { recursive: true });
  folder = await mkdtemp(join(ROOT, 'tools/.cache/generated-clients-'));
  await writeFile(join(folder, 'npx'), NPX, { mode: 0o755 });
  const config = blocksOf(partOf('orval'), 'js').join('');
  await writeFile(join(folder, 'orval.config.mjs'), localize(config));
  for (const name of ['openapi-fetch', 'hey-api', 'orval']) {
    await runCommands(name, '');
    await writeFile(join(folder, `${name}-example.ts`), localize(blocksOf(partOf(name), 'ts').join('')));
  }
  for (const [name, walk] of Object.entries(WALKS)) await writeFile(join(folder, `${name}-walk.ts`), walk);
  await writeFile(join(folder, 'walk-data.ts'), WALK_DATA);
  await writeFile(join(folder, 'page.ts'), blocksOf(CLIENT_PART, 'ts').join(''));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
}, 120_000);
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

const ORDER = {
  end_sales: 4470,
  paid: 4470,
  items: [expect.objectContaining({ code: 'TEE-M', qty: 2 }), expect.objectContaining({ code: 'TEE-L', qty: 1 })],
};
const REFUSAL = { OrderProcessings: ['API.OrderProcessings.StaleEvaluation'] };

describe('the generated clients', () => {
  it('compile in strict mode, with their examples and walks', async () => {
    const compiler = `${ROOT}node_modules/typescript/bin/tsc`;
    const check = run(process.execPath, [compiler, '-p', folder]);
    const { stdout } = await check.catch((error: unknown) => error as { stdout: string });
    expect(stdout).toBe('');
  }, 60_000);

  it.each(Object.keys(WALKS))(
    'of %s sell a product, upload a file, list and report an error',
    async (name) => {
      const { token } = await api.app();
      const walked = JSON.parse(await runModule(`${name}-walk`, token)) as unknown;
      expect(walked).toMatchObject({
        order: ORDER,
        file: { filename: 'hello.txt', tags: ['a', 'b,c'], size: 5 },
        rows: 1,
        status: 422,
      });
      expect((walked as { errors: unknown }).errors).toEqual(REFUSAL);
    },
    60_000,
  );

  it.each(['openapi-fetch', 'hey-api', 'orval'])(
    'of %s run the example of the page',
    async (name) => {
      const client = await api.app();
      expect(await runModule(`${name}-example`, client.token)).toBe('0\n');
      expect((await client.get('/cdn/files')).body.data.files).toMatchObject([{ filename: 'hello.txt', size: 5 }]);
    },
    60_000,
  );
});

describe('a Postman collection', () => {
  const sendCollection = async (file: string, token: string): Promise<NewmanAnswer[]> => {
    const options = ['--env-var', `baseUrl=${api.origin}`, '--env-var', `bearerToken=${token}`];
    const reporter = ['--reporters', 'json', '--reporter-json-export', 'report.json'];
    await run(`${ROOT}tools/node_modules/.bin/newman`, ['run', file, ...options, ...reporter], { cwd: folder });
    const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as NewmanReport;
    return report.run.executions.map(({ item, response }) => ({
      name: item.name,
      status: response.code,
      text: Buffer.from(response.stream.data).toString(),
    }));
  };
  const readCollection = async (): Promise<PostmanCollection> =>
    JSON.parse(await readFile(join(folder, 'collection.json'), 'utf8')) as PostmanCollection;

  it('is generated and sent by the commands on the page', async () => {
    const { token } = await api.app();
    const output = await runCommands('postman', token);
    expect(output).toMatch(/GET http:\S+\/api\/v2\/warehouses \[200 OK/);
    expect(output).toMatch(/│ +requests │ +\d+ │ +0 │/);
  }, 60_000);

  it('has examples instead of placeholders', async () => {
    const placeholders = /<(?:string|integer|number|boolean|date|dateTime|long)>/;
    const requests = requestsIn((await readCollection()).item);
    const contents = [...requests.values()].map(({ request: { body, url } }) => JSON.stringify([body, url.variable]));
    expect(contents.length).toBeGreaterThan(100);
    expect(contents.filter((content) => placeholders.test(content))).toEqual([]);
  });

  it('reaches the route of every call without edits', async () => {
    const { token } = await api.app();
    const answers = await sendCollection('collection.json', token);
    expect(answers.length).toBeGreaterThan(100);
    const lost = answers.filter(({ status, text }) => status >= 500 || status === 406 || text === '[]');
    expect(lost).toEqual([]);
    expect(answers.filter(({ text }) => text.includes('API.Idempotency'))).toEqual([]);
  }, 60_000);

  it('sells a product, uploads a file, lists and reports an error', async () => {
    const { token } = await api.app();
    await writeFile(join(folder, 'hello.txt'), 'hello');
    const walk = postmanWalkOf(await readCollection(), WALK_BODIES, join(folder, 'hello.txt'));
    await writeFile(join(folder, 'walk.json'), JSON.stringify(walk));
    const answers = await sendCollection('walk.json', token);
    expect(answers.map(({ status }) => status)).toEqual([
      200, 200, 200, 201, 201, 200, 200, 200, 200, 200, 201, 200, 422,
    ]);
    const [order, file, list, refusal] = answers.slice(-4).map(({ text }) => JSON.parse(text) as unknown);
    expect(order).toMatchObject({ data: ORDER });
    expect(file).toMatchObject({ data: { filename: 'hello.txt', size: 5 } });
    expect(list).toMatchObject({ data: [{ proforma_status_name: 'converted' }] });
    expect(refusal).toEqual({ errors: REFUSAL });
  }, 60_000);
});

interface NewmanAnswer {
  readonly name: string;
  readonly status: number;
  readonly text: string;
}

interface NewmanReport {
  readonly run: {
    readonly executions: readonly {
      readonly item: { readonly name: string };
      readonly response: { readonly code: number; readonly stream: { readonly data: number[] } };
    }[];
  };
}
