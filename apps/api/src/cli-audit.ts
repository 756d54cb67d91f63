import type { AuditRecord } from '@back-office/apps';
import { AUDIT_ACTIONS, formatDateTime, type AuditAction } from '@back-office/kernel';
import { Option, type Command } from 'commander';
import { presentEntry } from './audit/index.js';
import { command, type Result } from './cli-command.js';
import { parseId } from './cli-options.js';
import type { Service } from './runtime/service.js';
import { TOKENS } from './tokens.js';

const DEFAULT_LIMIT = 100;

export function addAuditCommand(program: Command): void {
  command(program, 'audit', 'list the audit log of an app, newest entry first', listEntries)
    .requiredOption('--app <id>', 'id of the app', parseId)
    .option('--subject <id>', 'only changes of this record', parseId)
    .option('--limit <count>', 'number of entries', parseId, DEFAULT_LIMIT)
    .addOption(new Option('--action <name>', 'only this action').choices(AUDIT_ACTIONS));
}

interface AuditOptions {
  readonly app?: number;
  readonly subject?: number;
  readonly limit?: number;
  readonly action?: AuditAction;
}

async function listEntries({ container }: Service, options: AuditOptions): Promise<Result> {
  const { app = 0, subject: subjectId, limit = DEFAULT_LIMIT, action } = options;
  const { auditLog } = container.get(TOKENS.Database);
  const entries = await auditLog.list(app, { action, subjectId }, { offset: 0, limit });
  return { json: { entries: entries.map(presentEntry) }, text: entries.map(describeEntry).join('\n') };
}

function describeEntry({ at, kind, tokenId, address, action, subjectId, before, after }: AuditRecord): string {
  const actor = [kind, tokenId, address].filter((part) => part !== null).join(' ');
  const subject = subjectId === null ? action : `${action} ${subjectId}`;
  return `${formatDateTime(at)}  ${actor}  ${subject}  ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
}
