import type { TokenKind } from '@back-office/apps';
import { scopesOf, type Route } from './route.js';

type Json = Record<string, unknown>;

const bearer = (kind: TokenKind, description: string): Json => ({
  type: 'http',
  scheme: 'bearer',
  description: `${description} It has the form \`bo_${kind}_<app id>_<43 characters of base64url>\`, and earlier tokens \`bo_${kind}_<43 characters>\`.`,
});

export const SECURITY_SCHEMES: Readonly<Record<string, Json>> = {
  appToken: bearer(
    'app',
    'Token of an app, from `token issue` or `POST /access_tokens`. `x-scope` names the scope of a call, or lists the scopes of which one is enough.',
  ),
  sessionToken: bearer('session', "Token of a session of a customer's phone or browser, from `POST /sessions`."),
  uploadToken: bearer('upload', 'Token for uploads into one folder with one preset, from `POST /upload_tokens`.'),
};

export function securityOf({ caller, acceptsUploadTokens }: Route): Json[] {
  if (caller === 'public') return [];
  if (caller !== 'app') return [{ sessionToken: [] }];
  return [{ appToken: [] }, ...(acceptsUploadTokens ? [{ uploadToken: [] }] : [])];
}

const CALLERS = {
  session: 'Needs the token of a session.',
  customer: 'Needs the token of a session with a signed-in customer.',
  public: 'Needs no token.',
} as const;

export function describeCaller({ caller, scope, acceptsUploadTokens }: Route): string {
  if (caller !== 'app') return CALLERS[caller];
  const scopes = scopesOf({ scope }).map((name) => `\`${name}\``);
  return `Needs a token with the scope ${scopes.join(' or ')}${acceptsUploadTokens ? ', or an upload token' : ''}.`;
}
