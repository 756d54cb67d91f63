import { hasScope } from '@back-office/apps';
import { EVENT_KINDS, MAX_REPLAYED_EVENTS, type ReplaySelection, type WebhookDeliveries } from '@back-office/events';
import {
  EVENT_TYPES,
  IS_INVALID,
  parseMoment,
  parsePage,
  refuse,
  type EventType,
  type Refusal,
} from '@back-office/kernel';
import { answerWith, ok } from '../http/answer.js';
import { invalidParameter } from '../http/errors.js';
import { endOfSecond, PAGING, parseTextFilter, parseWindowFilter, windowParameters } from '../http/query-parameters.js';
import { route, SMALL_BODY_BYTES, type Call, type Route } from '../http/route.js';
import { integer, listOf, oneOf, record } from '../http/shapes.js';
import { DeliveryShape, presentDelivery, ReplayDeliveries } from './webhook-fields.js';
import { messageId } from './webhook-messages.js';

const DEFAULT_LIMIT = 30;
const STATUSES = ['pending', 'delivered', 'failed'] as const;

const ONE_SELECTION = 'API.Webhooks.OneSelection';

export function webhookDeliveryRoutes(deliveries: WebhookDeliveries): Route[] {
  return [
    route({
      method: 'get',
      path: '/webhook_endpoints/:id/deliveries',
      caller: 'app',
      scope: 'webhooks:read',
      extension: true,
      summary: 'Lists the deliveries to an endpoint with their last answer, newest event first',
      query: {
        ...PAGING,
        status: { schema: { ...oneOf(STATUSES) }, description: 'only deliveries of this status' },
        type: { schema: { ...oneOf(EVENT_TYPES) }, description: 'only events of this type' },
        ...windowParameters('from', 'until'),
      },
      answers: { 200: record({ data: listOf(DeliveryShape) }) },
      handle: async ({ app, id, query, scopes }) => {
        const { from, before: until } = parseWindowFilter(query, 'from', 'until');
        const status = parseOneOf(query, 'status', STATUSES);
        const type = parseOneOf<EventType>(query, 'type', EVENT_TYPES);
        const page = parsePage(query, DEFAULT_LIMIT);
        const types = EVENT_TYPES.filter(
          (one) => (type ?? one) === one && hasScope(scopes, `${EVENT_KINDS[one].area}:read`),
        );
        return answerWith(await deliveries.list(app.id, id, { status, types, from, until }, page), (list) =>
          ok(list.map((delivery) => presentDelivery(delivery, messageId({ id }, delivery.event)))),
        );
      },
    }),
    route({
      method: 'post',
      path: '/webhook_endpoints/:id/replay',
      caller: 'app',
      scope: 'webhooks:write',
      extension: true,
      summary: `Delivers events again: by id, all that failed, or those of a time; at most ${MAX_REPLAYED_EVENTS.toLocaleString('en')} a call`,
      body: ReplayDeliveries,
      maxBodyBytes: SMALL_BODY_BYTES,
      answers: { 200: record({ data: record({ events: integer }) }) },
      refusals: [ONE_SELECTION],
      handle: async ({ app, id, body: { replay } }) => {
        const selection = parseSelection(replay);
        if ('refused' in selection) return selection;
        return answerWith(await deliveries.replay(app.id, id, selection), (events) => ok({ events }));
      },
    }),
  ];
}

function parseOneOf<Value extends string>(
  query: Call['query'],
  name: string,
  values: readonly Value[],
): Value | undefined {
  const value = parseTextFilter(query, name);
  if (value === undefined) return undefined;
  const known = values.find((one) => one === value);
  if (known === undefined) throw invalidParameter(name);
  return known;
}

/** A replay selects events by ids, by failure or by time. Combining two of them is refused. */
function parseSelection({
  event_ids: ids,
  failed,
  from,
  until,
}: ReplayDeliveries['replay']): ReplaySelection | Refusal {
  const [start, end] = [parseMoment(from ?? '')?.at, parseMoment(until ?? '')?.at];
  const selections: (ReplaySelection | undefined)[] = [
    ids ? { eventIds: ids.map(Number) } : undefined,
    failed === true ? { failed } : undefined,
    start && end ? { from: start, until: endOfSecond(end) } : undefined,
  ];
  const [selection, ...others] = selections.filter((one) => one !== undefined);
  if (start && end && start > end) return refuse(IS_INVALID, 'until');
  const isHalfTime = Boolean(from ?? until) && !(start && end);
  return selection === undefined || others.length > 0 || isHalfTime ? refuse(ONE_SELECTION) : selection;
}
