import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from '../testing/run-node.js';
import { startServer } from '../testing/server-process.js';

describe('a misspelt variable', () => {
  const variables = { DATABSE_URL: 'postgres://shop:s3cret@db/shop', RATE_LIMT: '3' };
  const lines =
    'DATABSE_URL is not a known variable. Did you mean DATABASE_URL?\n' +
    'RATE_LIMT is not a known variable. Did you mean RATE_LIMIT?\n';

  it.each([
    ['main.js', []],
    ['worker.js', []],
    ['cli.js', ['migrate']],
  ])('is named in one line without its value, before another error: %s', async (script, args) => {
    const { code, stdout, stderr } = await runNode(script, args, { ...variables, PORT: '70000' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.startsWith(`${lines}Bad configuration: PORT: `)).toBe(true);
    expect(stderr).not.toContain('s3cret');
  });

  it('is named once by several processes', async () => {
    const environment = { PROCESSES: '2', DATABASE_URL: 'postgres://127.0.0.1:1/x' };
    const { stderr } = await runNode('main.js', [], { ...variables, ...environment });
    expect(stderr.split('DATABSE_URL')).toHaveLength(2);
  });
});

describe('NODE_ENV=production without DATABASE_URL', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'back-office-production-'));
    chmodSync(dataDir, 0o755);
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  const production = () => ({ NODE_ENV: 'production', DATA_DIR: dataDir });
  const warning = () =>
    `NODE_ENV=production without DATABASE_URL: data is kept in an embedded database below ${dataDir}.\n`;

  it('starts without a demo app, and warns where data is kept', async () => {
    const server = await startServer({ ...production(), LOG_LEVEL: 'silent' });
    expect(server.output()).toContain(warning());
    expect(server.output()).not.toMatch(/demo app|bo_app_/);
    expect(await server.stop()).toBe(0);
  }, 40_000);

  it('warns in a command', async () => {
    const { stderr } = await runNode('cli.js', ['token', 'list', '--app', '1'], production());
    expect(stderr.startsWith(`${warning()}There is no database below ${dataDir}: `)).toBe(true);
  });

  it.each([{ DATABASE: 'memory' }, { DATABASE_URL: 'postgres://127.0.0.1:1/x' }])(
    'causes no warning with %j',
    async (environment) => {
      const { stderr } = await runNode('cli.js', ['token', 'list', '--app', '1'], { ...production(), ...environment });
      expect(stderr).not.toContain('embedded database');
    },
  );
});
