import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FOLDER = 'node_modules/';

/** Licences that are absent from the lock file; they are copied from the files of the packages. */
const UNDECLARED_LICENCES = { busboy: 'MIT', 'exif-parser': 'MIT', streamsearch: 'MIT' };

/** Returns the packages that production installs on any platform. */
export function productionPackages() {
  const { packages } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes(FOLDER) && !dev && !link)
    .map(([path, entry]) => {
      const name = path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
      const licence = entry.license ?? UNDECLARED_LICENCES[name];
      if (licence === undefined) throw new Error(`${name} names no licence`);
      const { version, integrity, os, cpu, optional = false } = entry;
      const dependencies = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
        .map((dependency) => findInstalled(packages, path, dependency))
        .filter((found) => found !== undefined);
      const isForPlatform = os !== undefined || cpu !== undefined;
      return { path, name, version, licence, integrity, optional, isForPlatform, dependencies };
    })
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** Resolves a dependency as Node does: first in the folder of the package, then in each parent folder. */
function findInstalled(packages, path, dependency) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(folder.lastIndexOf(`/${FOLDER}`), 0))) {
    const candidate = folder === '' ? FOLDER + dependency : `${folder}/${FOLDER}${dependency}`;
    if (packages[candidate] !== undefined) return candidate;
    if (folder === '') return undefined;
  }
}
