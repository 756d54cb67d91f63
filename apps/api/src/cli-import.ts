import { createClient } from '@back-office/client';
import { trimEndCharacters } from '@back-office/kernel';
import { InvalidArgumentError, type Command } from 'commander';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { command, type Result } from './cli-command.js';
import { importEntries, importMedia, ImportResults } from './media-import/index.js';

const MAX_AT_ONCE = 16;

interface ImportOptions {
  readonly from: string;
  readonly to: string;
  readonly folder: string;
  readonly results?: string;
  readonly atOnce: number;
  readonly onConflict: 'error' | 'rename';
}

/** The import calls the API, so it needs neither the database nor the files of the service. */
export function addImportCommand(mediaCommands: Command): void {
  command(
    mediaCommands,
    'import',
    'upload a folder, or the files behind a CSV list of URLs; reads the access token from standard input',
    runImport,
    async () => ({ stop: async () => {} }),
  )
    .requiredOption('--from <path>', 'folder, or CSV file with the column url')
    .requiredOption('--to <url>', 'base URL of the API, such as https://shop.example/api/v2', parseBaseUrl)
    .option('--folder <path>', 'folder of the library', '')
    .option(
      '--results <file>',
      'CSV file for the results; a repeated import continues it; default: <from>.imported.csv',
    )
    .option('--at-once <number>', `concurrent uploads, at most ${MAX_AT_ONCE}`, parseAtOnce, 4)
    .option('--on-conflict <action>', 'rename or error, if the name is taken', parseConflict, 'rename');
}

async function runImport(_: object, options: ImportOptions): Promise<Result> {
  const { from, to, folder, atOnce, onConflict } = options;
  const resultsPath = resolve(options.results ?? `${resolve(from)}.imported.csv`);
  const token = process.stdin.isTTY ? '' : (await readAll(process.stdin)).trim();
  if (token === '') throw new Error('Pass the access token in standard input, for example with `< token.txt`.');
  const counts = await importMedia(importEntries(from, folder, resultsPath), {
    client: createClient({ baseUrl: to, token }),
    results: ImportResults.open(resultsPath),
    atOnce,
    onConflict,
    onFailure: (source, error) => process.stderr.write(`${source}: ${error}\n`),
  });
  const text = `${counts.imported} files imported, ${counts.skipped} skipped, ${counts.failed} failed; see ${resultsPath}`;
  return { json: { ...counts, results: resultsPath }, text, hasFailed: counts.failed > 0 };
}

function parseBaseUrl(url: string): string {
  if (!URL.canParse(url)) throw new InvalidArgumentError('A URL such as https://shop.example/api/v2.');
  return trimEndCharacters(url, '/');
}

function parseAtOnce(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > MAX_AT_ONCE)
    throw new InvalidArgumentError(`A number from 1 to ${MAX_AT_ONCE}.`);
  return count;
}

function parseConflict(text: string): string {
  if (text !== 'rename' && text !== 'error') throw new InvalidArgumentError('rename or error.');
  return text;
}
