import type { ListedSession, SessionAdministration } from '@back-office/apps';
import { addHours, formatDateTime, formatOptional, parseBoolean, parsePage, type Clock } from '@back-office/kernel';
import type { CachedTokens } from '../apps/index.js';
import { answerWith, NO_CONTENT, ok } from '../http/answer.js';
import { PAGING, parseIdFilter } from '../http/query-parameters.js';
import { route, type Route } from '../http/route.js';
import { boolean, component, dateTime, integer, listOf, nullable, record, text, type TypeOf } from '../http/shapes.js';

const DEFAULT_LIMIT = 30;

const ListedSessionShape = component('ListedSession', {
  id: integer,
  customer_id: nullable(integer),
  device: record({ uuid: nullable(text), device_type: nullable(text) }),
  inserted_at: dateTime,
  last_used_at: nullable(dateTime),
  expires_at: nullable(dateTime),
  ended_at: nullable(dateTime),
});

export function sessionAdministrationRoutes(
  sessions: SessionAdministration,
  tokens: CachedTokens,
  clock: Clock,
): Route[] {
  return [
    route({
      method: 'get',
      path: '/sessions',
      caller: 'app',
      scope: 'tokens:read',
      extension: true,
      summary: 'Lists sessions, oldest first, without their tokens',
      query: {
        ...PAGING,
        customer_id: { schema: integer, description: 'only sessions of this customer' },
        active: {
          schema: boolean,
          description: 'true leaves out sessions that have ended or expired, or were not used for `sessions.idle_days`',
        },
      },
      answers: { 200: record({ data: listOf(ListedSessionShape) }) },
      handle: async ({ app, query }) => {
        const filter = {
          customerId: parseIdFilter(query, 'customer_id'),
          isActive: parseBoolean(query['active']),
          usedAfter: addHours(clock.now(), -app.settings.sessions.idleDays * 24),
        };
        return ok((await sessions.list(app.id, filter, parsePage(query, DEFAULT_LIMIT))).map(presentSession));
      },
    }),
    route({
      method: 'delete',
      path: '/sessions',
      caller: 'app',
      scope: 'tokens:write',
      extension: true,
      summary: 'Ends all sessions of a customer',
      query: { customer_id: { schema: integer, description: 'the customer', required: true } },
      answers: { 200: record({ data: record({ ended: integer }) }) },
      handle: async ({ app, query }) => {
        const ended = await sessions.end(app.id, { customerId: parseIdFilter(query, 'customer_id') ?? 0 });
        for (const { tokenHash } of ended ?? []) tokens.forget(tokenHash);
        return ok({ ended: ended?.length ?? 0 });
      },
    }),
    route({
      method: 'delete',
      path: '/sessions/:id',
      caller: 'app',
      scope: 'tokens:write',
      extension: true,
      summary: 'Ends a session; a repeat changes nothing',
      answers: { 204: null },
      handle: async ({ app, id }) =>
        answerWith(await sessions.end(app.id, { id }), (ended) => {
          for (const { tokenHash } of ended) tokens.forget(tokenHash);
          return NO_CONTENT;
        }),
    }),
  ];
}

export function presentSession(session: ListedSession): TypeOf<typeof ListedSessionShape> {
  return {
    id: session.id,
    customer_id: session.customerId,
    device: { uuid: session.deviceUuid, device_type: session.deviceType },
    inserted_at: formatDateTime(session.insertedAt),
    last_used_at: formatOptional(session.lastUsedAt),
    expires_at: formatOptional(session.expiresAt),
    ended_at: formatOptional(session.endedAt),
  };
}
