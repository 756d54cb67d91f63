import { CLI_ACTOR } from '@back-office/apps';
import type { Command } from 'commander';
import { loadConfig } from './runtime/load-config.js';
import { messageOf } from './runtime/error-message.js';
import { assertDatabaseExists, startService, type Service, type ServiceOptions } from './runtime/service.js';

export interface Result {
  readonly json: object;
  readonly text: string;
  /** True when the command has found a defect; the process then exits with 1. */
  readonly hasFailed?: boolean;
}

interface OpenedInstallation {
  stop(): Promise<void>;
}

export function command(
  parent: Command,
  name: string,
  description: string,
  run: (service: Service, options: never) => Promise<Result>,
): Command;
export function command<Subject extends OpenedInstallation>(
  parent: Command,
  name: string,
  description: string,
  run: (installation: Subject, options: never) => Promise<Result>,
  open: () => Promise<Subject>,
  errorExitCode?: number,
): Command;
export function command(
  parent: Command,
  name: string,
  description: string,
  run: (installation: never, options: never) => Promise<Result>,
  open: () => Promise<OpenedInstallation> = () => openExisting({ usesFiles: false }),
  errorExitCode = 1,
): Command {
  return parent
    .command(name)
    .description(description)
    .option('--json', 'print the result as JSON')
    .action(async (options: object) => {
      try {
        await execute(run as Run, options, open);
      } catch (error) {
        process.stderr.write(`${messageOf(error)}\n`);
        process.exitCode = errorExitCode;
      }
    });
}

/** Starts the service for a command that refers to existing records. Throws when the database does not exist. */
export async function openExisting(options: ServiceOptions): Promise<Service> {
  const config = loadConfig();
  await assertDatabaseExists(config);
  return startService(config, { ...options, needsPersistence: true });
}

type Run = (opened: OpenedInstallation, options: object) => Promise<Result>;

async function execute(
  run: Run,
  options: object & { readonly json?: boolean },
  open: () => Promise<OpenedInstallation>,
): Promise<void> {
  const installation = await open();
  try {
    const work = (): Promise<Result> => run(installation, options);
    const { json, text, hasFailed } = await (isService(installation)
      ? installation.database.calls.runAs(CLI_ACTOR, work)
      : work());
    process.stdout.write(`${options['json'] ? JSON.stringify(json) : text}\n`);
    if (hasFailed) process.exitCode = 1;
  } finally {
    await installation.stop();
  }
}

function isService(installation: OpenedInstallation): installation is Service {
  return 'database' in installation;
}
