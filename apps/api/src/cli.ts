import { addHours } from '@back-office/kernel';
import { Command } from 'commander';
import { check, type Connection, distribute } from '@back-office/database-postgres';
import { currencyOf, hoursOf, idOf, nameOf } from './cli-options.js';
import { readConfig } from './config.js';
import { makeDemo } from './demo.js';
import {
  assertDatabaseExists,
  openForInspection,
  openServer,
  startService,
  type Inspection,
  type Service,
  type ServiceOptions,
} from './runtime/service.js';
import { TOKENS } from './tokens.js';

interface Result {
  readonly json: object;
  readonly text: string;
  /** True when the command has found a defect; it then exits with 1. */
  readonly hasFailed?: boolean;
}

/** Exit code of a check that could not run. */
const CHECK_FAILED_EXIT_CODE = 2;

const program = new Command('cli').description('Administration of the retail back-office service');

command(
  program,
  'migrate',
  'migrate the database to this version',
  () => Promise.resolve({ json: { migrated: true }, text: 'The database is up to date.' }),
  () => startService(readConfig(), { opensStore: false }),
);

command(
  program,
  'distribute',
  'distribute the tables over the nodes of a Citus cluster by app; can be repeated',
  distributeTables,
  () => openServer(readConfig()),
);

command(
  program,
  'check',
  'check every invariant of stock, money, orders and files; writes nothing',
  checkAll,
  () => openForInspection(readConfig()),
  CHECK_FAILED_EXIT_CODE,
);

command(program, 'demo', 'create a demo app with realistic data', createDemo, () =>
  startService(readConfig(), { needsKeptRecords: true }),
);

const app = program.command('app').description('apps');
command(app, 'create', 'create an app and issue its first token', createApp)
  .requiredOption('--name <name>', 'name of the app', nameOf)
  .option('--currency <code>', 'ISO 4217 code', currencyOf, 'RSD');

const token = program.command('token').description('access tokens');
command(token, 'issue', 'issue another token for an app', issueToken)
  .requiredOption('--app <id>', 'id of the app', idOf)
  .option('--language <code>', 'language of its messages')
  .option('--expires-in <time>', 'such as 12h or 30d; without it the token does not expire', hoursOf);
command(token, 'revoke', 'revoke a token; it stops working within 2 seconds', revokeToken).requiredOption(
  '--token <token>',
  'the token itself',
);

const proformas = program.command('proformas').description('proformas');
command(proformas, 'expire', 'expire all due proformas now', expireProformas);

const media = program.command('media').description('the media library');
command(media, 'purge', 'remove files in Trash and kept versions whose retention is over', purgeMedia, () =>
  openExisting({ opensStore: true }),
);

command(
  media,
  'publish',
  'publish every file under its public key, for example after moving contents into another bucket',
  publishMedia,
  () => openExisting({ opensStore: true }),
);

await program.parseAsync();

type Options = Record<string, never>;

interface OpenedSubject {
  stop(): Promise<void>;
}

function command(
  parent: Command,
  name: string,
  description: string,
  run: (service: Service, options: Options) => Promise<Result>,
): Command;
function command<Subject extends OpenedSubject>(
  parent: Command,
  name: string,
  description: string,
  run: (subject: Subject, options: Options) => Promise<Result>,
  open: () => Promise<Subject>,
  errorExitCode?: number,
): Command;
function command(
  parent: Command,
  name: string,
  description: string,
  run: (subject: never, options: Options) => Promise<Result>,
  open: () => Promise<OpenedSubject> = () => openExisting({ opensStore: false }),
  errorExitCode = 1,
): Command {
  return parent
    .command(name)
    .description(description)
    .option('--json', 'print the result as JSON')
    .action(async (options: Options) => {
      try {
        await execute(run as Run, options, open);
      } catch (error) {
        process.stderr.write(`${(error as Error).message.split('\n')[0]}\n`);
        process.exitCode = errorExitCode;
      }
    });
}

/** Opens the service on an existing database, because these commands refer to existing records. */
async function openExisting(options: ServiceOptions): Promise<Service> {
  const config = readConfig();
  await assertDatabaseExists(config);
  return startService(config, { ...options, needsKeptRecords: true });
}

type Run = (opened: OpenedSubject, options: Options) => Promise<Result>;

async function execute(run: Run, options: Options, open: () => Promise<OpenedSubject>): Promise<void> {
  const subject = await open();
  try {
    const { json, text, hasFailed } = await run(subject, options);
    process.stdout.write(`${options['json'] ? JSON.stringify(json) : text}\n`);
    if (hasFailed) process.exitCode = 1;
  } finally {
    await subject.stop();
  }
}

async function checkAll({ connection, store }: Inspection): Promise<Result> {
  const findings = await check(connection, store, new Date());
  const brokenRules = findings.filter(({ breaches }) => breaches > 0);
  const lines = findings.flatMap(({ name, breaches, examples }) =>
    breaches === 0
      ? [`ok      ${name}`]
      : [`BROKEN  ${name}: ${breaches} times`, ...examples.map((example) => `          ${example}`)],
  );
  return { json: { findings }, text: lines.join('\n'), hasFailed: brokenRules.length > 0 };
}

async function distributeTables({ connection }: { connection: Connection }): Promise<Result> {
  const { distributed, reference } = await distribute(connection);
  const hasChanged = distributed.length + reference.length > 0;
  const text = hasChanged
    ? `${distributed.length} tables are now distributed by app, ${reference.length} are copied to every node.`
    : 'All tables are distributed already: nothing changed.';
  return { json: { changed: hasChanged, distributed, reference }, text };
}

async function createDemo({ container }: Service): Promise<Result> {
  const { appId, accessToken, sessionToken } = await makeDemo(container);
  return {
    json: { app_id: appId, access_token: accessToken, session_token: sessionToken },
    text:
      `Created demo app ${appId}. Its access token and the token of a customer's session (30 days), ` +
      `shown only once:\n${accessToken}\n${sessionToken}`,
  };
}

async function createApp({ container }: Service, { name, currency }: Options): Promise<Result> {
  const apps = container.get(TOKENS.Apps);
  const appId = await apps.create({ name: String(name), currency: String(currency) });
  const accessToken = (await apps.issueToken({ appId })) as string;
  return {
    json: { app_id: appId, access_token: accessToken },
    text: `Created app ${appId}. Its access token, shown only once:\n${accessToken}`,
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
  if (!revoked) throw new Error('There is no such token.');
  return { json: { revoked }, text: 'The token is revoked.' };
}

async function expireProformas({ container }: Service): Promise<Result> {
  let [expired, failed] = [0, 0];
  for (let hasMore = true; hasMore;) {
    const sweep = await container.get(TOKENS.ExpirySweep).run();
    expired += sweep.changedCount;
    failed = sweep.failures.length;
    ({ hasMore } = sweep);
  }
  const text = `${expired} proformas expired${failed > 0 ? `, ${failed} failed` : ''}.`;
  return { json: { expired, failed }, text };
}

async function purgeMedia({ container }: Service): Promise<Result> {
  const { mediaTrash: trash, fileVersions: versions } = container.get(TOKENS.Database);
  const repeatUntilNone = async (expire: () => Promise<number>): Promise<number> => {
    let totalCount = 0;
    for (let count = await expire(); count > 0; count = await expire()) totalCount += count;
    return totalCount;
  };
  const fileCount = await repeatUntilNone(() => trash.expire());
  const versionCount = await repeatUntilNone(() => versions.expire());
  const text = `${fileCount} files and ${versionCount} kept versions removed; their bytes are deleted in the background.`;
  return { json: { files: fileCount, versions: versionCount }, text };
}

async function publishMedia({ container }: Service): Promise<Result> {
  const { copies, library } = container.get(TOKENS.Library);
  if (!library.isPublished) throw new Error('This store does not serve files itself: there is nothing to publish.');
  let keys = 0;
  for (const appId of await container.get(TOKENS.Apps).ids()) keys += await copies.settleAll(appId);
  return { json: { keys }, text: `Published ${keys} public keys.` };
}
