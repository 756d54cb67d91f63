import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const CSPELL = `${ROOT}tools/node_modules/cspell/bin.mjs`;
/** Not checked: one file quotes texts of other projects, the other is generated from the API reference. */
const SKIPPED_FILES = ['THIRD_PARTY_NOTICES.md', 'packages/client/src/schema.ts'];
const CHECKED_FILE = /\.(?:ts|mjs|cjs|md)$/;
const SKIPPED_FOLDER = /^(?:\..*|node_modules|dist|coverage)$/;
const UNKNOWN_WORD = /^\S*?:(\d+):(\d+) - Unknown word \((.+?)\)/gm;

/** A deliberate misspelling. Finding it proves that the check reads the files. */
const SEEDED_MISSPELLING = 'mispeling';

/** Returns the paths of checked files below a folder, relative to the root of the repository. */
function listFiles(folder) {
  return readdirSync(`${ROOT}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return SKIPPED_FOLDER.test(entry.name) ? [] : listFiles(`${folder}${entry.name}/`);
    const path = `${folder}${entry.name}`;
    return CHECKED_FILE.test(entry.name) && !SKIPPED_FILES.includes(path) ? [path] : [];
  });
}

// All files form one text, because cspell takes longer to start on a file than to check it.
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

const unknownWords = [...stdout.matchAll(UNKNOWN_WORD)].map(([, line, column, word]) => {
  const { file, start } = starts.findLast((entry) => entry.start < Number(line));
  return { word, location: `${file}:${line - start}:${column}` };
});
const misspelled = unknownWords.filter(({ word }) => word !== SEEDED_MISSPELLING);
for (const { word, location } of misspelled) console.log(`${location} ${word}`);
if (misspelled.length > 0)
  console.log('Correct these words, or add terms to cspell/terms.txt, test data to cspell/test-data.txt.');
if (misspelled.length === unknownWords.length) console.log(`cspell did not check the words.\n${stderr}`);
process.exitCode = misspelled.length > 0 || misspelled.length === unknownWords.length ? 1 : 0;
