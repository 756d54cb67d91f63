import { addSeconds, type Clock, formatDateTime, isRefusal, checkText, refuse } from '@back-office/kernel';
import type { Session, Sessions } from '@back-office/apps';
import { hashToken, newToken } from '../http/authentication.js';
import { LANGUAGE_TAG, type CachedTokens } from '../apps/index.js';
import { CustomerNameFields, parseCustomerIdentifier } from '../customers/index.js';
import { answerWith, created, NO_CONTENT } from '../http/answer.js';
import { DAY_SECONDS, Duration, parseDuration } from '../http/duration.js';
import {
  IsOptional,
  Length,
  Matches,
  MaxLength,
  Type,
  ValidatedByDomain,
  ValidateNested,
  Wrapper,
} from '../http/request-fields.js';
import { route, SMALL_BODY_BYTES, type Route } from '../http/route.js';
import { dateTime, integer, nullable, record, text } from '../http/shapes.js';
import { DeviceDetailFields, deviceDetailsOf } from './device-details.js';

const MAX_LIFETIME_SECONDS = 3_650 * DAY_SECONDS;
const DEFAULT_LIFETIME_SECONDS = 30 * DAY_SECONDS;

class SessionDeviceFields extends DeviceDetailFields {
  @Length(1, 255) uuid!: string;
}

class SessionFields extends CustomerNameFields {
  @ValidateNested() @Type(() => SessionDeviceFields) device!: SessionDeviceFields;
  @IsOptional() @MaxLength(35) @Matches(LANGUAGE_TAG) language?: string | null;
  @IsOptional()
  @Duration(
    MAX_LIFETIME_SECONDS,
    'default 30 days; a longer life than `sessions.max_days` of the settings is shortened',
  )
  expires_in?: number | string | null;
}

class PostSession {
  @Wrapper() @ValidateNested() @Type(() => SessionFields) session!: SessionFields;
}

const MAX_FIREBASE_TOKEN_LENGTH = 4_096;
/** One character may take twelve bytes of JSON, as two `\u` escapes. */
const MAX_FIREBASE_TOKEN_BODY_BYTES = 64 * 1024;
const UNABLE_TO_UPDATE = 'API.Tokens.Firebase.UnableToUpdate';

class PostFirebaseToken {
  @ValidatedByDomain({ type: 'string', minLength: 1, maxLength: MAX_FIREBASE_TOKEN_LENGTH }) firebase_token!: unknown;
}

const SessionShape = record({
  id: integer,
  access_token: text,
  expires_at: dateTime,
  customer_id: nullable(integer),
});

export function sessionRoutes(sessions: Sessions, tokens: CachedTokens, clock: Clock): Route[] {
  return [
    route({
      method: 'post',
      path: '/sessions',
      caller: 'app',
      scope: 'tokens:write',
      extension: true,
      summary: 'Starts a session for a customer signed in by the app, or an anonymous one',
      body: PostSession,
      maxBodyBytes: SMALL_BODY_BYTES,
      answers: { 201: record({ data: SessionShape }) },
      returnsSecret: true,
      refusals: ['API.Customers.NotFound'],
      handle: async ({ app, body: { session } }) => {
        const customer = parseCustomerIdentifier(session);
        if (isRefusal(customer)) return customer;
        const maxSeconds = app.settings.sessions.maxDays * DAY_SECONDS;
        const seconds = Math.min(parseDuration(session.expires_in, DEFAULT_LIFETIME_SECONDS), maxSeconds);
        const expiresAt = addSeconds(clock.now(), seconds);
        const device = { uuid: session.device.uuid, ...deviceDetailsOf(session.device) };
        const accessToken = newToken('session', app.id);
        const tokenHash = hashToken(accessToken);
        const language = session.language ?? null;
        const result = await sessions.start(app.id, { customer, device, language, expiresAt, tokenHash });
        tokens.forget(tokenHash);
        return answerWith(result, (storedSession) => created(presentSession(storedSession, accessToken)));
      },
    }),
    route({
      method: 'delete',
      path: '/sessions/current',
      caller: 'session',
      extension: true,
      summary: 'Ends the session of the token',
      answers: { 204: null },
      handle: async ({ app, tokenId }) => {
        const endedTokenHash = await sessions.end(app.id, tokenId);
        if (endedTokenHash) tokens.forget(endedTokenHash);
        return NO_CONTENT;
      },
    }),
    route({
      method: 'post',
      path: '/session/firebase/token',
      caller: 'customer',
      summary: 'Stores a push token with the session',
      body: PostFirebaseToken,
      maxBodyBytes: MAX_FIREBASE_TOKEN_BODY_BYTES,
      answers: { 204: null },
      refusals: [UNABLE_TO_UPDATE],
      handle: async ({ app, tokenId, body: { firebase_token: firebaseToken } }) => {
        const isValid = checkText(firebaseToken, MAX_FIREBASE_TOKEN_LENGTH, false) === undefined;
        const isStored = isValid && (await sessions.replacePushToken(app.id, tokenId, String(firebaseToken)));
        return isStored ? NO_CONTENT : refuse(UNABLE_TO_UPDATE);
      },
    }),
  ];
}

/** Only this response contains the token, because the database stores only its SHA-256. */
function presentSession({ id, customerId, expiresAt }: Session, accessToken: string) {
  return { id, access_token: accessToken, expires_at: formatDateTime(expiresAt), customer_id: customerId };
}
