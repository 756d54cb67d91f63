import { channelOf, CHANNELS, STATES, stateOf, type Channel, type Wish } from '@back-office/consent';
import { isRefusal, pageOf, refuse, type Clock, type Refusal } from '@back-office/kernel';
import { answered, ok, type Outcome } from '../http/answer.js';
import { endOfSecond, momentFilter, PAGING, PARTS, partsOf } from '../http/query-parameters.js';
import { Unjudged } from '../http/request-fields.js';
import { route, type Call, type Route } from '../http/route.js';
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
import type { TypeOrmConsents } from './typeorm-consents.js';

class PutConsent {
  @Unjudged({ type: 'string', enum: [...CHANNELS] }) channel!: unknown;
  @Unjudged({ type: 'string', enum: [...STATES] }) state!: unknown;
}

class PutMasterConsent {
  @Unjudged({ type: 'string', enum: [...STATES] }) state!: unknown;
}

const CUSTOMER_REQUIRED = 'API.CustomerChannelConsents.CustomerRequired';
const INVALID_CHANNEL = 'API.CustomerChannelConsents.InvalidChannel';
const INVALID_STATE = 'API.CustomerChannelConsents.InvalidState';

/** Where the changes of these calls are made. */
const SOURCE = 'mobile_app';
const DEFAULT_LIMIT = 30;

const answers = { 200: record({ data: ConsentShape }) };
const failures = { 422: InvalidConsentShape };

export function consentRoutes(consents: TypeOrmConsents, clock: Clock): Route[] {
  const change = async ({ app, customerId }: Call, wish: Wish | Refusal): Promise<Outcome> => {
    if (isRefusal(wish)) return wish;
    return answered(await consents.change(app.id, customerId, wish), (consent) => ok(presentConsent(consent)));
  };
  return [
    route({
      method: 'get',
      path: '/customer/consents',
      caller: 'session',
      summary: "The signed-in customer's marketing consent",
      answers,
      refusals: [CUSTOMER_REQUIRED],
      handle: signedIn(async ({ app, customerId }) =>
        answered(await consents.find(app.id, customerId), (consent) => ok(presentConsent(consent))),
      ),
    }),
    route({
      method: 'put',
      path: '/customer/consent',
      caller: 'session',
      summary: 'Grants or revokes one channel; setting the state that it has changes nothing',
      body: PutConsent,
      answers,
      failures,
      refusals: [CUSTOMER_REQUIRED, INVALID_CHANNEL, INVALID_STATE],
      handle: signedIn((call) => change(call, channelWish(call.body))),
    }),
    route({
      method: 'put',
      path: '/customer/consents/master',
      caller: 'session',
      summary: 'Grants or revokes all marketing at once; every channel keeps its own state',
      body: PutMasterConsent,
      answers,
      failures,
      refusals: [CUSTOMER_REQUIRED, INVALID_STATE],
      handle: signedIn((call) => change(call, wishFor('master', call.body.state))),
    }),
    route({
      method: 'get',
      path: '/customer/consents/history',
      caller: 'session',
      extension: true,
      summary: "Every change of the signed-in customer's consent, oldest first",
      query: PAGING,
      answers: { 200: record({ data: listOf(ConsentChangeShape) }) },
      refusals: [CUSTOMER_REQUIRED],
      handle: signedIn(async ({ app, customerId, query }) => {
        const changes = await consents.history(app.id, customerId, pageOf(query, DEFAULT_LIMIT));
        return ok(changes.map(presentChange));
      }),
    }),
    route({
      method: 'get',
      path: '/customers/:id/consents',
      caller: 'app',
      extension: true,
      summary: 'What a customer had granted at a moment, what was effective then, and the changes that show it',
      query: {
        ...PARTS,
        at: { schema: text, description: 'a date (its midnight) or a datetime; now when absent' },
      },
      answers: { 200: record({ data: ConsentAtShape }) },
      handle: async ({ app, id, query }) => {
        const at = momentFilter(query, 'at') ?? clock.now();
        const end = endOfSecond(at);
        const known = await consents.findBefore(app.id, { id, ...partsOf(query) }, end);
        return known && ok(presentConsentAt(known, at, end));
      },
    }),
  ];
}

/** A session may be anonymous, and then there is nobody whose consent it could be. */
function signedIn<Body>(handle: (call: Call<Body>) => Promise<Outcome>): (call: Call<Body>) => Promise<Outcome> {
  return async (call) => (call.customerId === 0 ? refuse(CUSTOMER_REQUIRED) : handle(call));
}

function channelWish({ channel: sent, state }: PutConsent): Wish | Refusal {
  const channel = channelOf(sent);
  return isRefusal(channel) ? channel : wishFor(channel, state);
}

function wishFor(channel: Channel | 'master', sent: unknown): Wish | Refusal {
  const state = stateOf(sent);
  return isRefusal(state) ? state : { channel, state, source: SOURCE };
}
