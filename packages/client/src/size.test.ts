import { build } from 'esbuild';
import { gzipSync } from 'node:zlib';

const MAX_BYTES = 10_000;
const MAX_WEBHOOK_BYTES = 1_500;

async function bundledBytes(code: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? '').length;
}

describe('the bundle for browsers', () => {
  it('is smaller than 10 kB after gzip', async () => {
    const bytes = await bundledBytes(`export * from './index.js'`);
    expect(bytes).toBeGreaterThan(2_000);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it('contains only the modules that the page imports', async () => {
    const bytes = await bundledBytes(`import { verifyWebhook } from './index.js'; verifyWebhook('', {}, '');`);
    expect(bytes).toBeLessThan(MAX_WEBHOOK_BYTES);
  });
});
