import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const CSPELL = `${ROOT}node_modules/cspell/bin.mjs`;
const CHECKED = /\.(?:ts|mjs|cjs|md)$/;
const SKIPPED_FOLDER = /^(?:\..*|node_modules|dist|coverage)$/;
const UNKNOWN_WORD = /^\S*?:(\d+):(\d+) - Unknown word \((.+?)\)/gm;

/** A spelling that has to be found here: it shows that files are read and words are checked. */
const SEEDED = 'mispeling';

/** Paths of the checked files below a folder, from the root of the repository. */
function listFiles(folder) {
  return readdirSync(`${ROOT}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return SKIPPED_FOLDER.test(entry.name) ? [] : listFiles(`${folder}${entry.name}/`);
    return CHECKED.test(entry.name) ? [`${folder}${entry.name}`] : [];
  });
}

// One text: cspell needs more time to begin a file than to check its words.
const lines = [];
const starts = [];
for (const file of listFiles('')) {
  starts.push({ file, start: lines.length });
  for (const line of readFileSync(`${ROOT}${file}`, 'utf8').split('\n')) lines.push(line);
}

const { stdout, stderr } = spawnSync(
  process.execPath,
  [CSPELL, '--no-color', '--no-progress', '--no-summary', 'stdin'],
  {
    cwd: ROOT,
    encoding: 'utf8',
    input: lines.join('\n'),
  },
);

const unknown = [...stdout.matchAll(UNKNOWN_WORD)].map(([, line, column, word]) => {
  const { file, start } = starts.findLast((each) => each.start < Number(line));
  return { word, location: `${file}:${line - start}:${column}` };
});
const wrong = unknown.filter(({ word }) => word !== SEEDED);
for (const { word, location } of wrong) console.log(`${location} ${word}`);
if (wrong.length > 0)
  console.log('Correct these words, or add terms to cspell/terms.txt, test data to cspell/test-data.txt.');
if (wrong.length === unknown.length) console.log(`cspell did not check the words.\n${stderr}`);
process.exitCode = wrong.length > 0 || wrong.length === unknown.length ? 1 : 0;
