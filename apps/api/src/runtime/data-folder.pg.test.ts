import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../testing/server-process.js';

const isRoot = process.geteuid?.() === 0;

describe('the data folder', () => {
  let parent: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'data-folder-'));
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('is closed to other users, with all its content', async () => {
    const folder = join(parent, 'shop/data');
    const server = await startServer({ DATA_DIR: folder, DATABASE: 'memory', LOG_LEVEL: 'silent' });
    const [, token = ''] = /^ {2}(bo_app_\S+)$/m.exec(server.output()) ?? [];
    const body = new FormData();
    body.set('file', new Blob(['words to keep']), 'a.txt');
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${server.origin}/api/v2/cdn/files`, { method: 'POST', headers, body })).status).toBe(201);
    // The server exits only after it has removed the temporary upload.
    expect(await server.stop()).toBe(0);
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const modes = paths.map((path) => {
      const stats = statSync(join(folder, path));
      return [path, (stats.mode & 0o777).toString(8), stats.isDirectory() ? '700' : '600'];
    });
    expect(modes.filter(([, mode, expected]) => mode !== expected)).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(['uploads', expect.stringMatching(/^media\/_blobs\/.+\/.+/)]));
    expect(modeOf(folder)).toBe(isRoot ? '711' : '700');
  });

  it('closes the folders of an earlier release', async () => {
    for (const name of ['media', 'uploads']) {
      mkdirSync(join(parent, name));
      chmodSync(join(parent, name), 0o755);
    }
    const server = await startServer({ DATA_DIR: parent, DATABASE: 'memory', DEMO: '0', LOG_LEVEL: 'silent' });
    expect([modeOf(join(parent, 'media')), modeOf(join(parent, 'uploads'))]).toEqual(['700', '700']);
    expect(await server.stop()).toBe(0);
  });
});
