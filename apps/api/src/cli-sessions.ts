import type { ListedSession, SessionSelection } from '@back-office/apps';
import { formatDateTime, formatOptional, MAX_PAGE_SIZE } from '@back-office/kernel';
import type { Command } from 'commander';
import { command, type Result } from './cli-command.js';
import { parseId } from './cli-options.js';
import type { Service } from './runtime/service.js';
import { presentSession } from './sessions/index.js';
import { TOKENS } from './tokens.js';

export function addSessionCommands(program: Command): void {
  const sessionCommands = program.command('session').description('sessions of customers');
  command(sessionCommands, 'list', 'list the active sessions of an app', listSessions)
    .requiredOption('--app <id>', 'id of the app', parseId)
    .option('--customer <id>', 'only sessions of this customer', parseId);
  command(
    sessionCommands,
    'end',
    'end a session, or all sessions of a customer; they stop working within 2 seconds',
    endSessions,
  )
    .requiredOption('--app <id>', 'id of the app', parseId)
    .option('--id <id>', 'id of the session', parseId)
    .option('--customer <id>', 'id of the customer', parseId);
}

interface SessionOptions {
  readonly app?: number;
  readonly id?: number;
  readonly customer?: number;
}

async function listSessions({ container }: Service, { app = 0, customer }: SessionOptions): Promise<Result> {
  const { sessionAdministration } = container.get(TOKENS.Database);
  const filter = { customerId: customer, isActive: true };
  const sessions = await sessionAdministration.list(app, filter, { offset: 0, limit: MAX_PAGE_SIZE });
  return { json: { sessions: sessions.map(presentSession) }, text: sessions.map(describeSession).join('\n') };
}

async function endSessions({ container }: Service, { app = 0, id, customer }: SessionOptions): Promise<Result> {
  const { sessionAdministration } = container.get(TOKENS.Database);
  const ended = await sessionAdministration.end(app, selectionOf(id, customer));
  if (ended === undefined) throw new Error(`The app ${app} has no session ${id}.`);
  return { json: { ended: ended.length }, text: `${ended.length} sessions ended.` };
}

function selectionOf(id: number | undefined, customerId: number | undefined): SessionSelection {
  if (id !== undefined && customerId === undefined) return { id };
  if (id === undefined && customerId !== undefined) return { customerId };
  throw new Error('Name either the session by --id, or its customer by --customer.');
}

function describeSession({ id, customerId, deviceType, lastUsedAt, expiresAt }: ListedSession): string {
  const customer = customerId === null ? 'anonymous' : `customer ${customerId}`;
  const lastUse = `last used ${formatOptional(lastUsedAt) ?? 'never'}`;
  return [id, customer, deviceType ?? '-', lastUse, `expires ${expiresAt ? formatDateTime(expiresAt) : 'never'}`].join(
    '  ',
  );
}
