import { Command } from 'commander';
import { check, type ConnectionTarget, distribute } from '@back-office/database-postgres';
import { addAppCommands } from './cli-apps.js';
import { addAuditCommand } from './cli-audit.js';
import { command, openExisting, type Result } from './cli-command.js';
import { addImportCommand } from './cli-import.js';
import { addSessionCommands } from './cli-sessions.js';
import { addTokenCommands } from './cli-tokens.js';
import { loadConfig } from './runtime/load-config.js';
import { makeDemo } from './demo.js';
import {
  assertPostgres,
  openForInspection,
  openExternalDatabase,
  startService,
  type Inspection,
  type Service,
} from './runtime/service.js';
import { blankControls } from './terminal-text.js';
import { TOKENS } from './tokens.js';
import { API_VERSION, SERVICE_VERSION } from './version.js';

/** Exit code of a `check` that could not run. It differs from the code for found defects. */
const CHECK_FAILED_EXIT_CODE = 2;

const program = new Command('cli')
  .description('Administration of the retail back-office service')
  .version(`${SERVICE_VERSION} (API ${API_VERSION})`, '--version', 'print the versions of the service and of its API')
  // Commander repeats wrong arguments in its errors. Subcommands inherit this setting.
  .configureOutput({ outputError: (text, write) => write(text.split('\n').map(blankControls).join('\n')) });

command(
  program,
  'migrate',
  'migrate the database to this version',
  () => Promise.resolve({ json: { migrated: true }, text: 'The database is up to date.' }),
  openMigrated,
);

command(
  program,
  'distribute',
  'distribute the tables over the nodes of a Citus cluster by app; can be repeated',
  distributeTables,
  () => openExternalDatabase(loadConfig()),
);

command(
  program,
  'check',
  'check every invariant of stock, money, orders and files; writes nothing',
  checkAll,
  () => openForInspection(loadConfig()),
  CHECK_FAILED_EXIT_CODE,
);

command(program, 'demo', 'create a demo app with realistic data', createDemo, () =>
  startService(loadConfig(), { needsPersistence: true }),
);

addAppCommands(program);
addTokenCommands(program);
addSessionCommands(program);
addAuditCommand(program);

const proformaCommands = program.command('proformas').description('proformas');
command(proformaCommands, 'expire', 'expire all due proformas now', expireProformas);

const mediaCommands = program.command('media').description('the media library');
command(mediaCommands, 'purge', 'remove files in Trash and kept versions whose retention is over', purgeMedia, () =>
  openExisting({ usesFiles: true }),
);

command(
  mediaCommands,
  'publish',
  'publish every file under its public key, for example after moving contents into another bucket',
  publishMedia,
  () => openExisting({ usesFiles: true }),
);

addImportCommand(mediaCommands);

await program.parseAsync();

async function openMigrated(): Promise<Service> {
  const config = loadConfig();
  assertPostgres(config, 'migrated');
  return startService(config, { usesFiles: false });
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

async function distributeTables({ connection }: { connection: ConnectionTarget }): Promise<Result> {
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
      `Created demo app ${appId}. Its access token and the token of a customer's session, for 30 days, ` +
      `shown only once:\n${accessToken}\n${sessionToken}`,
  };
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
  for (const appId of await container.get(TOKENS.Apps).ids()) keys += await copies.syncAll(appId);
  return { json: { keys }, text: `Published ${keys} public keys.` };
}
