import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

describe('docs/adapters/refunds.md', () => {
  it('shows a gateway that passes the contract', async () => {
    await mkdir(join(ROOT, '.cache'), { recursive: true });
    const folder = await mkdtemp(join(ROOT, '.cache/refunds-'));
    const page = await readFile(join(ROOT, 'docs/adapters/refunds.md'), 'utf8');
    const codeAt = (blockName: string): string =>
      page.split(`<!-- ${blockName} -->\n\n\`\`\`js\n`)[1]?.split('```')[0] ?? '';
    await writeFile(join(folder, 'my-gateway.mjs'), codeAt('gateway'));
    await writeFile(join(folder, 'contract.test.mjs'), codeAt('contract'));
    await cp(join(ROOT, 'apps/api/src/testing/fake-psp.mjs'), join(folder, 'fake-psp.mjs'));
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', join(folder, 'contract.test.mjs')]);
    expect(stdout).toMatch(/\bpass 21\b/);
    await rm(folder, { recursive: true, force: true });
  }, 60_000);
});
