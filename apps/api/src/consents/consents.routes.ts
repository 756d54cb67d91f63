import {
  parseChannel,
  CHANNELS,
  STATES,
  parseState,
  type Channel,
  type ConsentQueries,
  type Consents,
  type ConsentRequest,
} from '@back-office/consent';
import { isRefusal, parsePage, refuse, type Clock, type Refusal } from '@back-office/kernel';
import { answerWith, ok, type HandlerResult } from '../http/answer.js';
import { endOfSecond, parseMomentFilter, PAGING, PARTS, parseParts } from '../http/query-parameters.js';
import { ValidatedByDomain } from '../http/request-fields.js';
import { route, type Call, type Guard, type Route } from '../http/route.js';
import { listOf, record, text } from '../http/shapes.js';
import {
  ConsentAtShape,
  ConsentChangeShape,
  ConsentShape,
  InvalidConsentShape,
  presentChange,
  presentConsent,
  presentConsentAt,
} from './consent-shapes.js';

class PutConsent {
  @ValidatedByDomain({ type: 'string', enum: [...CHANNELS] }) channel!: unknown;
  @ValidatedByDomain({ type: 'string', enum: [...STATES] }) state!: unknown;
}

class PutMasterConsent {
  @ValidatedByDomain({ type: 'string', enum: [...STATES] }) state!: unknown;
}

const CUSTOMER_REQUIRED = 'API.CustomerChannelConsents.CustomerRequired';
const INVALID_CHANNEL = 'API.CustomerChannelConsents.InvalidChannel';
const INVALID_STATE = 'API.CustomerChannelConsents.InvalidState';

const CHANGE_SOURCE = 'mobile_app';
const DEFAULT_LIMIT = 30;
const CONSENT_GUARD: Guard = {
  kind: 'customer',
  shownBy: '/customer/consents',
  id: ({ customerId }) => customerId,
};

const answers = { 200: record({ data: ConsentShape }) };
const failures = { 422: InvalidConsentShape };

export function consentRoutes(consents: Consents, queries: ConsentQueries, clock: Clock): Route[] {
  const change = async ({ app, customerId }: Call, request: ConsentRequest | Refusal): Promise<HandlerResult> => {
    if (isRefusal(request)) return request;
    return answerWith(await consents.change(app.id, customerId, request), (consent) => ok(presentConsent(consent)));
  };
  return [
    route({
      method: 'get',
      path: '/customer/consents',
      caller: 'session',
      summary: "Reads the signed-in customer's marketing consent",
      answers,
      refusals: [CUSTOMER_REQUIRED],
      handle: requireCustomer(async ({ app, customerId }) =>
        answerWith(await queries.find(app.id, customerId), (consent) => ok(presentConsent(consent))),
      ),
    }),
    route({
      method: 'put',
      path: '/customer/consent',
      guard: CONSENT_GUARD,
      caller: 'session',
      summary: 'Grants or revokes one channel; the same state again changes nothing',
      body: PutConsent,
      answers,
      failures,
      refusals: [CUSTOMER_REQUIRED, INVALID_CHANNEL, INVALID_STATE],
      handle: requireCustomer((call) => change(call, parseChannelChange(call.body))),
    }),
    route({
      method: 'put',
      path: '/customer/consents/master',
      guard: CONSENT_GUARD,
      caller: 'session',
      summary: 'Grants or revokes all marketing; channels keep their states',
      body: PutMasterConsent,
      answers,
      failures,
      refusals: [CUSTOMER_REQUIRED, INVALID_STATE],
      handle: requireCustomer((call) => change(call, parseChange('master', call.body.state))),
    }),
    route({
      method: 'get',
      path: '/customer/consents/history',
      caller: 'session',
      extension: true,
      summary: "Lists the changes of the signed-in customer's consent, oldest first",
      query: PAGING,
      answers: { 200: record({ data: listOf(ConsentChangeShape) }) },
      refusals: [CUSTOMER_REQUIRED],
      handle: requireCustomer(async ({ app, customerId, query }) => {
        const changes = await queries.history(app.id, customerId, parsePage(query, DEFAULT_LIMIT));
        return ok(changes.map(presentChange));
      }),
    }),
    route({
      method: 'get',
      path: '/customers/:id/consents',
      caller: 'app',
      scope: 'customers:read',
      extension: true,
      summary: 'Reads the consent of a customer at a moment, with the changes as evidence',
      query: {
        ...PARTS,
        at: { schema: text, description: 'a date (its midnight) or a datetime; now when absent' },
      },
      answers: { 200: record({ data: ConsentAtShape }) },
      handle: async ({ app, id, query }) => {
        const at = parseMomentFilter(query, 'at') ?? clock.now();
        const end = endOfSecond(at);
        const consent = await queries.findBefore(app.id, { id, ...parseParts(query) }, end);
        return consent && ok(presentConsentAt(consent, at, end));
      },
    }),
  ];
}

/** Refuses anonymous sessions, which have no consent. */
function requireCustomer<Body>(
  handle: (call: Call<Body>) => Promise<HandlerResult>,
): (call: Call<Body>) => Promise<HandlerResult> {
  return async (call) => (call.customerId === 0 ? refuse(CUSTOMER_REQUIRED) : handle(call));
}

function parseChannelChange({ channel: channelName, state }: PutConsent): ConsentRequest | Refusal {
  const channel = parseChannel(channelName);
  return isRefusal(channel) ? channel : parseChange(channel, state);
}

function parseChange(channel: Channel | 'master', stateName: unknown): ConsentRequest | Refusal {
  const state = parseState(stateName);
  return isRefusal(state) ? state : { channel, state, source: CHANGE_SOURCE };
}
