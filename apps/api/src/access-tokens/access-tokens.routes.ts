import {
  checkGranted,
  OWN_EXPIRY,
  SCOPE_NOT_HELD,
  TOKEN_NOT_ACTIVE,
  type TokenAdministration,
} from '@back-office/apps';
import { addSeconds, parsePage, refuse, type Clock } from '@back-office/kernel';
import type { AppAdministration, CachedTokens, IssuedToken } from '../apps/index.js';
import { answerWith, created, NO_CONTENT, ok, type Answer } from '../http/answer.js';
import { parseFlag } from '../http/bulk-options.js';
import { PAGING } from '../http/query-parameters.js';
import { route, SMALL_BODY_BYTES, type Route } from '../http/route.js';
import { boolean, listOf, record } from '../http/shapes.js';
import {
  AccessTokenShape,
  lifetimeSeconds,
  NewAccessTokenShape,
  overlapSeconds,
  PatchAccessToken,
  PostAccessToken,
  presentMadeEndpoint,
  presentToken,
  RevokeAccessToken,
  RevokedTokenShape,
  RotateAccessToken,
} from './access-token-fields.js';

const DEFAULT_LIMIT = 30;
const SECONDS_PER_HOUR = 3_600;

export function accessTokenRoutes(
  apps: AppAdministration,
  administration: TokenAdministration,
  cachedTokens: CachedTokens,
  clock: Clock,
): Route[] {
  return [
    ...listRoutes(administration),
    ...issueRoutes(apps, cachedTokens, clock),
    ...changeRoutes(apps, administration, cachedTokens, clock),
  ];
}

function listRoutes(administration: TokenAdministration): Route[] {
  return [
    route({
      method: 'get',
      path: '/access_tokens',
      caller: 'app',
      scope: 'tokens:read',
      extension: true,
      summary: "Lists the app's tokens, oldest first, without their secrets",
      query: PAGING,
      answers: { 200: record({ data: listOf(AccessTokenShape) }) },
      handle: async ({ app, tokenId, query }) => {
        const tokens = await administration.list(app.id, parsePage(query, DEFAULT_LIMIT));
        return ok(tokens.map((token) => presentToken(token, tokenId)));
      },
    }),
  ];
}

function issueRoutes(apps: AppAdministration, cachedTokens: CachedTokens, clock: Clock): Route[] {
  return [
    route({
      method: 'post',
      path: '/access_tokens',
      caller: 'app',
      scope: 'tokens:write',
      extension: true,
      summary: "Creates a token with at most the caller's scopes; only this response shows it",
      body: PostAccessToken,
      maxBodyBytes: SMALL_BODY_BYTES,
      answers: { 201: record({ data: NewAccessTokenShape }) },
      returnsSecret: true,
      refusals: [SCOPE_NOT_HELD],
      handle: async ({ app, tokenId, scopes: granted, body: { access_token: fields } }) => {
        const { name, scopes = null, language } = fields;
        const refusal = checkGranted(granted, scopes);
        if (refusal) return refusal;
        const expiresAt = addSeconds(clock.now(), lifetimeSeconds(fields.expires_in));
        const properties = { appId: app.id, name, scopes, language: language ?? undefined, expiresAt };
        const issued = await apps.addToken(properties);
        return issued && createdToken(issued, tokenId);
      },
    }),
    route({
      method: 'post',
      path: '/access_tokens/:id/rotate',
      caller: 'app',
      scope: 'tokens:write',
      extension: true,
      summary: 'Replaces a token by a new one like it; the old one works until the end of `overlap`',
      body: RotateAccessToken,
      bodyOptional: true,
      maxBodyBytes: SMALL_BODY_BYTES,
      answers: { 201: record({ data: NewAccessTokenShape }) },
      returnsSecret: true,
      refusals: [SCOPE_NOT_HELD, TOKEN_NOT_ACTIVE],
      handle: async ({ app, id, tokenId, scopes: granted, body: { access_token: fields } }) => {
        const overlapHours = overlapSeconds(fields?.overlap) / SECONDS_PER_HOUR;
        const lifetimeHours = lifetimeSeconds(fields?.expires_in) / SECONDS_PER_HOUR;
        const result = await apps.rotateToken(app.id, id, { overlapHours, lifetimeHours }, granted);
        cachedTokens.forgetAll();
        return answerWith(result, (issued) => createdToken(issued, tokenId));
      },
    }),
  ];
}

/** Only this response contains the secret, because the database stores only its SHA-256. */
function createdToken({ token, secret }: IssuedToken, currentId: number): Answer {
  return created({ ...presentToken(token, currentId), access_token: secret });
}

function changeRoutes(
  apps: AppAdministration,
  administration: TokenAdministration,
  cachedTokens: CachedTokens,
  clock: Clock,
): Route[] {
  return [
    route({
      method: 'patch',
      path: '/access_tokens/:id',
      caller: 'app',
      scope: 'tokens:write',
      extension: true,
      summary: 'Changes the name, scopes or expiry of a token; absent fields stay, null as `scopes` means every scope',
      body: PatchAccessToken,
      maxBodyBytes: SMALL_BODY_BYTES,
      answers: { 200: record({ data: AccessTokenShape }) },
      refusals: [OWN_EXPIRY, SCOPE_NOT_HELD, TOKEN_NOT_ACTIVE],
      handle: async ({ app, id, tokenId, scopes: granted, body: { access_token: fields } }) => {
        const { name, scopes, expires_in: expiresIn } = fields;
        if (expiresIn && id === tokenId) return refuse(OWN_EXPIRY);
        const expiresAt = expiresIn ? addSeconds(clock.now(), lifetimeSeconds(expiresIn)) : undefined;
        const result = await administration.change(app.id, id, { name, scopes, expiresAt }, granted);
        cachedTokens.forgetAll();
        return answerWith(result, (token) => ok(presentToken(token, tokenId)));
      },
    }),
    route({
      method: 'delete',
      path: '/access_tokens/:id',
      caller: 'app',
      scope: 'tokens:write',
      extension: true,
      summary:
        'Revokes a token and the upload tokens that it made. Its webhook endpoints go on and are named, unless `end_endpoints` pauses them',
      query: { end_endpoints: { schema: boolean, description: 'as in the body' } },
      body: RevokeAccessToken,
      bodyOptional: true,
      maxBodyBytes: SMALL_BODY_BYTES,
      answers: { 200: record({ data: RevokedTokenShape }), 204: null },
      refusals: [SCOPE_NOT_HELD],
      handle: async ({ app, id, scopes: granted, query, body }) => {
        const isSentInQuery = parseFlag(query, 'end_endpoints');
        const endsEndpoints = body.end_endpoints ?? isSentInQuery;
        const result = await apps.revokeTokenById(app.id, id, { granted, endsEndpoints });
        // Also forgets the upload tokens that the token has made.
        cachedTokens.forgetAll();
        return answerWith(result, ({ endpoints }) =>
          endpoints.length === 0 ? NO_CONTENT : ok({ webhook_endpoints: endpoints.map(presentMadeEndpoint) }),
        );
      },
    }),
  ];
}
