import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFilesAreClosed } from './open-files.js';

describe('files below a folder', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'open-files-'));
    await writeFile(join(folder, 'a'), 'x');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are reported while they are open', async () => {
    const file = await open(join(folder, 'a'));
    const reports = await checkFilesAreClosed(folder).catch((error: unknown) => String(error));
    if (process.platform === 'linux') expect(reports).toContain(join(folder, 'a'));
    await file.close();
    await checkFilesAreClosed(folder);
  });
});
