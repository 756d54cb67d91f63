import { hasScope, type GrantedScopes } from '@back-office/apps';
import { EVENT_KINDS, type EventFeed, parseSubject, type EventPage, type EventSelection } from '@back-office/events';
import { EVENT_TYPES, parseInteger, parsePage, type EventType } from '@back-office/kernel';
import type { Request } from 'express';
import { ok } from '../http/answer.js';
import { invalidParameter } from '../http/errors.js';
import { parseTextFilter } from '../http/query-parameters.js';
import { parseListEntries } from '../http/query-text.js';
import { route, type Route } from '../http/route.js';
import { integer, record, text } from '../http/shapes.js';
import type { EventRecords } from './event-records.js';
import { EventPageShape } from './event-shapes.js';
import type { EventWaits } from './event-waits.js';
import { presentEvent } from './present-event.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const MAX_WAIT_SECONDS = 30;
const POLL_EVERY_MS = 500;
const MS_PER_SECOND = 1_000;
/** Value of `after` that skips all past events. */
const LATEST = 'latest';

const CURSOR_EXPIRED = 'API.Events.CursorExpired';

export function eventRoutes(feed: EventFeed, records: EventRecords, waits: EventWaits): Route[] {
  return [
    route({
      method: 'get',
      path: '/events',
      caller: 'app',
      scope: 'events:read',
      extension: true,
      summary: 'Lists what has happened, oldest first, and can wait for what happens next',
      query: {
        after: { schema: text, description: `the cursor of the page before; \`${LATEST}\` skips all earlier events` },
        types: {
          schema: text,
          description: 'only these types, separated by commas; default: all that the token may read',
        },
        subject: { schema: text, description: 'only events of this record, such as `orders/5`' },
        limit: {
          schema: integer,
          maximum: MAX_LIMIT,
          description: `events wanted, default ${DEFAULT_LIMIT}, at most 1,000`,
        },
        wait: { schema: integer, description: 'seconds to wait for an event when there is none, 0 to 30; default 0' },
      },
      answers: { 200: record({ data: EventPageShape }) },
      refusals: [CURSOR_EXPIRED],
      handle: async ({ app, query, scopes, request }) => {
        const selection = parseSelection(query, scopes);
        const waitMs = parseWait(query['wait']) * MS_PER_SECOND;
        const after = await parsePosition(query, feed, app.id);
        const page = await waitForEvents(() => feed.page(app.id, after, selection), waitMs, waits, request);
        if (page === undefined) return { refused: CURSOR_EXPIRED };
        const { events, position, hasMore } = page;
        const recordsBySubject = await records.find(app, events);
        return ok({
          events: events.map((event) => presentEvent(app.id, event, recordsBySubject)),
          cursor: formatCursor(position),
          has_more: hasMore,
        });
      },
    }),
  ];
}

/** Waits until an event exists or the time is over. Returns `undefined` when the cursor has expired. */
async function waitForEvents(
  read: () => ReturnType<EventFeed['page']>,
  waitMs: number,
  waits: EventWaits,
  request: Request,
): Promise<EventPage | undefined> {
  const endMs = performance.now() + waitMs;
  for (;;) {
    const page = await read();
    if ('restartAt' in page) return undefined;
    const restMs = endMs - performance.now();
    if (page.events.length > 0 || page.hasMore || restMs <= 0) return page;
    if (!(await waits.pause(Math.min(POLL_EVERY_MS, restMs), request))) return page;
  }
}

type Query = Readonly<Record<string, unknown>>;

function parseSelection(query: Query, scopes: GrantedScopes): EventSelection {
  const readableTypes = EVENT_TYPES.filter((type) => hasScope(scopes, `${EVENT_KINDS[type].area}:read`));
  const types = parseTypes(query['types']) ?? EVENT_TYPES;
  const subjectText = parseTextFilter(query, 'subject');
  const subject = subjectText === undefined ? undefined : parseSubject(subjectText);
  if (subjectText !== undefined && subject === undefined) throw invalidParameter('subject');
  return {
    types: readableTypes.filter((type) => types.includes(type) && (subject?.types.includes(type) ?? true)),
    ...(subject && { record: subject.record }),
    limit: Math.min(parsePage(query, DEFAULT_LIMIT).limit, MAX_LIMIT),
  };
}

/** Throws 400 for an unknown type, because no event would match a misspelt type. */
function parseTypes(value: unknown): EventType[] | undefined {
  if (value === undefined || value === '') return undefined;
  const texts = parseListEntries(value);
  if (!texts.every((part): part is EventType => (EVENT_TYPES as readonly unknown[]).includes(part)))
    throw invalidParameter('types');
  return texts;
}

function parseWait(value: unknown): number {
  if (value === undefined || value === '') return 0;
  const seconds = parseInteger(value);
  if (seconds === undefined || seconds < 0 || seconds > MAX_WAIT_SECONDS) throw invalidParameter('wait');
  return seconds;
}

async function parsePosition(query: Query, feed: EventFeed, appId: number): Promise<number | 'start'> {
  const after = parseTextFilter(query, 'after');
  if (after === undefined) return 'start';
  if (after === LATEST) return feed.lastPosition(appId);
  const [, digits = ''] = /^e(\d{1,15})$/.exec(Buffer.from(after, 'base64url').toString()) ?? [];
  if (digits === '' || formatCursor(Number(digits)) !== after) throw invalidParameter('after');
  return Number(digits);
}

function formatCursor(position: number): string {
  return Buffer.from(`e${position}`).toString('base64url');
}
