import { runNode } from '../testing/run-node.js';

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
