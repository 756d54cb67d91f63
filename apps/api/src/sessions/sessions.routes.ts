import { formatDateTime, isRefusal, refuse, type Clock } from '@back-office/kernel';
import { LANGUAGE, type RememberedTokens } from '../apps/index.js';
import { CustomerNameFields, customerNameOf } from '../customers/index.js';
import { answered, created, NO_CONTENT } from '../http/answer.js';
import { judgeText, Nested, Text, Unjudged, Wrapper } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { dateTime, integer, nullable, record, text } from '../http/shapes.js';
import { DeviceDetailFields, deviceDetailsOf } from './device-details.js';
import { Lifetime, secondsOf } from './session-lifetime.js';
import type { Session, TypeOrmSessions } from './typeorm-sessions.js';

const optional = true;

class SessionDeviceFields extends DeviceDetailFields {
  @Text() uuid!: string;
}

class SessionFields extends CustomerNameFields {
  @Nested(() => SessionDeviceFields) device!: SessionDeviceFields;
  @Text({ max: 35, pattern: LANGUAGE, optional }) language?: string | null;
  @Lifetime() expires_in?: number | string | null;
}

class PostSession {
  @Wrapper(() => SessionFields) session!: SessionFields;
}

const LONGEST_FIREBASE_TOKEN = 4_096;
const UNABLE_TO_UPDATE = 'API.Tokens.Firebase.UnableToUpdate';

class PostFirebaseToken {
  @Unjudged({ type: 'string', minLength: 1, maxLength: LONGEST_FIREBASE_TOKEN }) firebase_token!: unknown;
}

const SessionShape = record({
  id: integer,
  access_token: text,
  expires_at: dateTime,
  customer_id: nullable(integer),
});

export function sessionRoutes(sessions: TypeOrmSessions, tokens: RememberedTokens, clock: Clock): Route[] {
  return [
    route({
      method: 'post',
      path: '/sessions',
      caller: 'app',
      extension: true,
      summary: 'Starts a session of a customer whom the app has signed in itself, or an anonymous one',
      body: PostSession,
      answers: { 201: record({ data: SessionShape }) },
      answersSecret: true,
      refusals: ['API.Customers.NotFound'],
      handle: async ({ app, body: { session } }) => {
        const customer = customerNameOf(session);
        if (isRefusal(customer)) return customer;
        const expiresAt = new Date(clock.now().getTime() + secondsOf(session.expires_in) * 1_000);
        const device = { uuid: session.device.uuid, ...deviceDetailsOf(session.device) };
        const wish = { customer, device, language: session.language ?? null, expiresAt };
        return answered(await sessions.start(app.id, wish), (started) => created(presentSession(started)));
      },
    }),
    route({
      method: 'delete',
      path: '/sessions/current',
      caller: 'session',
      extension: true,
      summary: 'Ends the session whose token the call comes with',
      answers: { 204: null },
      handle: async ({ app, tokenId }) => {
        const ended = await sessions.end(app.id, tokenId);
        if (ended) tokens.forget(ended);
        return NO_CONTENT;
      },
    }),
    route({
      method: 'post',
      path: '/session/firebase/token',
      caller: 'customer',
      summary: 'Stores a push token with the session whose token the call comes with',
      body: PostFirebaseToken,
      answers: { 204: null },
      refusals: [UNABLE_TO_UPDATE],
      handle: async ({ app, tokenId, body: { firebase_token: sent } }) => {
        const isUsable = judgeText(sent, LONGEST_FIREBASE_TOKEN, false) === undefined;
        const kept = isUsable && (await sessions.keepFirebaseToken(app.id, tokenId, String(sent)));
        return kept ? NO_CONTENT : refuse(UNABLE_TO_UPDATE);
      },
    }),
  ];
}

function presentSession({ id, accessToken, customerId, expiresAt }: Session) {
  return { id, access_token: accessToken, expires_at: formatDateTime(expiresAt), customer_id: customerId };
}
