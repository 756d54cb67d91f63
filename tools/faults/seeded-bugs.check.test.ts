import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SEEDED_BUGS } from './seeded-bug-list.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const packages = readdirSync(join(ROOT, 'packages')).map((name) => join('packages', name, 'dist'));
const builtFiles = ['apps/api/dist', ...packages].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(ROOT, folder, path)),
);

describe('a seeded bug', () => {
  it.each(SEEDED_BUGS.flatMap(({ name, changes }) => changes.map((change) => [name, change] as const)))(
    'replaces text that the build contains: %s',
    (_, { file, find }) => {
      const [path, ...otherPaths] = builtFiles.filter((builtFile) => builtFile.endsWith(`/${file}`));
      expect(otherPaths).toEqual([]);
      expect(readFileSync(path as string, 'utf8')).toContain(find);
    },
  );
});
