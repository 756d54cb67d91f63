import { addHours, isCurrency } from '@back-office/kernel';
import { Command, InvalidArgumentError } from 'commander';
import { readConfig } from './config.js';
import { makeDemo } from './demo.js';
import { startService, type Service } from './runtime/service.js';
import { TOKENS } from './tokens.js';

/** What a command answers: the object that `--json` prints, and the same for a person. */
interface Result {
  readonly json: object;
  readonly text: string;
}

const program = new Command('cli').description('Administration of the retail back-office service');

command(program, 'migrate', 'bring the database up to date', () =>
  Promise.resolve({ json: { migrated: true }, text: 'The database is up to date.' }),
);

command(program, 'demo', 'make a demo app with realistic data', createDemo);

const app = program.command('app').description('apps');
command(app, 'create', 'make an app and issue its first token', createApp)
  .requiredOption('--name <name>', 'name of the app', nameOf)
  .option('--currency <code>', 'ISO 4217 code', currencyOf, 'RSD');

const token = program.command('token').description('access tokens');
command(token, 'issue', 'issue one more token for an app', issueToken)
  .requiredOption('--app <id>', 'id of the app', idOf)
  .option('--language <code>', 'language of its messages')
  .option('--expires-in <time>', 'such as 12h or 30d; without it the token does not expire', hoursOf);
command(token, 'revoke', 'revoke a token; it stops working within 2 seconds', revokeToken).requiredOption(
  '--token <token>',
  'the token itself',
);

const proformas = program.command('proformas').description('proformas');
command(proformas, 'expire', 'expire every proforma that is due, now', expireProformas);

const media = program.command('media').description('the media library');
command(media, 'purge', 'remove for good what has been in Trash, or was kept as a version, long enough', purgeMedia);

await program.parseAsync();

type Options = Record<string, never>;

function command(
  parent: Command,
  name: string,
  description: string,
  run: (service: Service, options: Options) => Promise<Result>,
): Command {
  return parent
    .command(name)
    .description(description)
    .option('--json', 'print the result as JSON')
    .action(async (options: Options) => {
      try {
        await execute(run, options);
      } catch (error) {
        process.stderr.write(`${(error as Error).message.split('\n')[0]}\n`);
        process.exitCode = 1;
      }
    });
}

async function execute(run: (service: Service, options: Options) => Promise<Result>, options: Options): Promise<void> {
  const service = await startService(readConfig());
  try {
    const { json, text } = await run(service, options);
    process.stdout.write(`${options['json'] ? JSON.stringify(json) : text}\n`);
  } finally {
    await service.stop();
  }
}

async function createDemo({ container }: Service): Promise<Result> {
  const { appId, accessToken, sessionToken } = await makeDemo(container);
  return {
    json: { app_id: appId, access_token: accessToken, session_token: sessionToken },
    text:
      `App ${appId} with demo data has been made. Its access token, and that of a customer's session for 30 days, ` +
      `shown this one time:\n${accessToken}\n${sessionToken}`,
  };
}

async function createApp({ container }: Service, { name, currency }: Options): Promise<Result> {
  const apps = container.get(TOKENS.Apps);
  const appId = await apps.create({ name: String(name), currency: String(currency) });
  const accessToken = (await apps.issueToken({ appId })) as string;
  return {
    json: { app_id: appId, access_token: accessToken },
    text: `App ${appId} has been made. Its access token, shown this one time:\n${accessToken}`,
  };
}

async function issueToken({ container }: Service, options: Options): Promise<Result> {
  const { app: appId, language, expiresIn } = options as { app?: number; language?: string; expiresIn?: number };
  const expiresAt = expiresIn === undefined ? undefined : addHours(container.get(TOKENS.Clock).now(), expiresIn);
  const issued = await container.get(TOKENS.Apps).issueToken({ appId: appId ?? 0, language, expiresAt });
  if (issued === undefined) throw new Error(`There is no app ${appId}.`);
  return { json: { access_token: issued, expires_at: expiresAt?.toISOString() ?? null }, text: issued };
}

async function revokeToken({ container }: Service, options: Options): Promise<Result> {
  const revoked = await container.get(TOKENS.Apps).revokeToken(String(options['token']));
  if (!revoked) throw new Error('Nobody holds this token.');
  return { json: { revoked }, text: 'The token has been revoked.' };
}

async function expireProformas({ container }: Service): Promise<Result> {
  let expired = 0;
  for (let more = true; more;) {
    const sweep = await container.get(TOKENS.ExpirySweep).run();
    expired += sweep.changed;
    ({ more } = sweep);
  }
  return { json: { expired }, text: `${expired} proformas met their deadline.` };
}

function nameOf(text: string): string {
  if (text.trim() === '' || text.length > 255) throw new InvalidArgumentError('A name of 1 to 255 characters.');
  return text;
}

function currencyOf(text: string): string {
  if (!isCurrency(text)) throw new InvalidArgumentError('An ISO 4217 code such as RSD or EUR.');
  return text;
}

function idOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('A whole number.');
  return Number(text);
}

function hoursOf(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('A time such as 12h or 30d.');
  return Number(count) * (unit === 'd' ? 24 : 1);
}

async function purgeMedia({ container }: Service): Promise<Result> {
  const { trash, versions } = container.get(TOKENS.Library);
  const all = async (some: () => Promise<number>): Promise<number> => {
    let total = 0;
    for (let count = await some(); count > 0; count = await some()) total += count;
    return total;
  };
  const files = await all(() => trash.expire());
  const kept = await all(() => versions.expire());
  const text = `${files} files and ${kept} kept versions are removed; their bytes follow in the background.`;
  return { json: { files, versions: kept }, text };
}
