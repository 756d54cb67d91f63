import type { ListedApp } from '@back-office/apps';
import { formatDateTime } from '@back-office/kernel';
import type { Command } from 'commander';
import { command, type Result } from './cli-command.js';
import { expiryOf, type Lifetime, lifetimeOption, parseCurrency, parseName } from './cli-options.js';
import type { Service } from './runtime/service.js';
import { blankControls } from './terminal-text.js';
import { TOKENS } from './tokens.js';

export function addAppCommands(program: Command): void {
  const appCommands = program.command('app').description('apps');
  command(appCommands, 'create', 'create an app and issue its first token', createApp)
    .requiredOption('--name <name>', 'name of the app', parseName)
    .option('--currency <code>', 'ISO 4217 code', parseCurrency, 'RSD')
    .addOption(lifetimeOption());
  command(appCommands, 'list', 'list all apps by id: name, currency and time of creation', listApps);
}

interface CreateOptions {
  readonly name: string;
  readonly currency: string;
  readonly expiresIn: Lifetime;
}

async function createApp({ container }: Service, { name, currency, expiresIn }: CreateOptions): Promise<Result> {
  const apps = container.get(TOKENS.Apps);
  const appId = await apps.create({ name, currency });
  const expiresAt = expiryOf(expiresIn, container.get(TOKENS.Clock).now());
  const accessToken = (await apps.issueToken({ appId, expiresAt })) as string;
  const lifetime = expiresAt ? `valid until ${formatDateTime(expiresAt)}` : 'without an expiry';
  return {
    json: { app_id: appId, access_token: accessToken },
    text: `Created app ${appId}. Its access token, ${lifetime}, shown only once:\n${accessToken}`,
  };
}

async function listApps({ container }: Service): Promise<Result> {
  const apps: ListedApp[] = [];
  for await (const app of container.get(TOKENS.Apps).list()) apps.push(app);
  return { json: { apps: apps.map(presentApp) }, text: apps.length === 0 ? 'There are no apps.' : formatTable(apps) };
}

function presentApp({ id, name, currency, insertedAt }: ListedApp): object {
  return { id, name, currency, inserted_at: formatDateTime(insertedAt) };
}

function formatTable(apps: readonly ListedApp[]): string {
  const rows = apps.map(({ id, name, currency, insertedAt }) => [
    String(id),
    // A name comes from the API, and could control the terminal.
    blankControls(name),
    currency,
    formatDateTime(insertedAt),
  ]);
  const widthOf = (column: number): number => rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0);
  const [idWidth, nameWidth] = [widthOf(0), widthOf(1)];
  return rows
    .map(([id = '', name = '', currency, time]) =>
      [id.padStart(idWidth), name.padEnd(nameWidth), currency, time].join('  '),
    )
    .join('\n');
}
