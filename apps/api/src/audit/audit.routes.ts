import type { AuditLog, AuditRecord } from '@back-office/apps';
import { AUDIT_ACTIONS, formatDateTime, parsePage } from '@back-office/kernel';
import { ok } from '../http/answer.js';
import {
  PAGING,
  parseIdFilter,
  parseTextFilter,
  parseWindowFilter,
  windowParameters,
} from '../http/query-parameters.js';
import { route, type Route } from '../http/route.js';
import {
  anyObject,
  component,
  dateTime,
  integer,
  listOf,
  nullable,
  oneOf,
  record,
  text,
  type TypeOf,
} from '../http/shapes.js';

const DEFAULT_LIMIT = 30;
const ACTORS = ['app', 'session', 'cli', 'worker'] as const;

const AuditEntryShape = component('AuditEntry', {
  id: integer,
  at: dateTime,
  actor: oneOf(ACTORS),
  token_id: nullable(integer),
  customer_id: nullable(integer),
  address: nullable(text),
  request_id: nullable(text),
  service_request_id: nullable(text),
  action: oneOf(AUDIT_ACTIONS),
  subject_id: nullable(integer),
  before: nullable(anyObject),
  after: nullable(anyObject),
});

export function auditRoutes(auditLog: AuditLog): Route[] {
  return [
    route({
      method: 'get',
      path: '/audit_log',
      caller: 'app',
      scope: 'audit:read',
      extension: true,
      summary: 'Lists changes of settings, tokens, money, prices and stock, exports and deletions, newest first',
      query: {
        ...PAGING,
        action: { schema: { ...oneOf(AUDIT_ACTIONS) }, description: 'only this action' },
        subject_id: { schema: integer, description: 'only changes of this record; use it with `action`' },
        token_id: { schema: integer, description: 'only changes by this token' },
        ...windowParameters('from', 'until'),
      },
      answers: { 200: record({ data: listOf(AuditEntryShape) }) },
      handle: async ({ app, query }) => {
        const { from, before: until } = parseWindowFilter(query, 'from', 'until');
        const filter = {
          action: parseTextFilter(query, 'action'),
          subjectId: parseIdFilter(query, 'subject_id'),
          tokenId: parseIdFilter(query, 'token_id'),
          from,
          until,
        };
        const entries = await auditLog.list(app.id, filter, parsePage(query, DEFAULT_LIMIT));
        return ok(entries.map(presentEntry));
      },
    }),
  ];
}

export function presentEntry(entry: AuditRecord): TypeOf<typeof AuditEntryShape> {
  return {
    id: entry.id,
    at: formatDateTime(entry.at),
    actor: entry.kind,
    token_id: entry.tokenId,
    customer_id: entry.customerId,
    address: entry.address,
    request_id: entry.requestId,
    service_request_id: entry.serviceRequestId,
    action: entry.action,
    subject_id: entry.subjectId,
    before: entry.before as Record<string, unknown> | null,
    after: entry.after as Record<string, unknown> | null,
  };
}
