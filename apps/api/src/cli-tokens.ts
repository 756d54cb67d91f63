import { DEFAULT_OVERLAP_HOURS, type AppToken, type Scope } from '@back-office/apps';
import type { WebhookEndpoint } from '@back-office/events';
import { formatDateTime, formatOptional, isRefusal, MAX_PAGE_SIZE, type Refusal } from '@back-office/kernel';
import type { Command } from 'commander';
import { createInterface } from 'node:readline/promises';
import { text as readAll } from 'node:stream/consumers';
import type { AppAdministration, RevokedToken } from './apps/index.js';
import { command, type Result } from './cli-command.js';
import {
  expiryOf,
  type Lifetime,
  lifetimeOption,
  parseId,
  parseName,
  parseOverlap,
  parseRotatedLifetime,
  parseScopes,
} from './cli-options.js';
import type { Service } from './runtime/service.js';
import { TOKENS } from './tokens.js';

/**
 * This argument makes the command read the token from standard input, where other users of the machine cannot see it.
 */
const STANDARD_INPUT = '-';

export function addTokenCommands(program: Command): void {
  const tokenCommands = program.command('token').description('access tokens');
  command(tokenCommands, 'issue', 'issue another token for an app', issueToken)
    .requiredOption('--app <id>', 'id of the app', parseId)
    .option('--name <name>', 'name of the system that uses it', parseName)
    .option('--scopes <list>', 'such as catalogue:read,stock:write; without it the token has every scope', parseScopes)
    .option('--language <code>', 'language of its messages')
    .addOption(lifetimeOption());
  command(tokenCommands, 'list', 'list the tokens of an app, without their secrets', listTokens).requiredOption(
    '--app <id>',
    'id of the app',
    parseId,
  );
  command(tokenCommands, 'rotate', 'replace a token by a new one', rotateToken)
    .requiredOption('--app <id>', 'id of the app', parseId)
    .requiredOption('--id <id>', 'id of the token', parseId)
    .option(
      '--overlap <time>',
      'how long the old token still works, at most 30d, default 24h',
      parseOverlap,
      DEFAULT_OVERLAP_HOURS,
    )
    .option('--expires-in <time>', 'lifetime of the new token, default 400d', parseRotatedLifetime);
  command(tokenCommands, 'revoke', 'revoke a token or a session; it stops working within 2 seconds', revokeToken)
    .option('--app <id>', 'id of the app', parseId)
    .option('--id <id>', 'id of the token', parseId)
    .option('--token <token>', 'the token itself; - reads it from standard input')
    .option('--end-endpoints', 'also pause the webhook endpoints that the token has made, without asking');
}

interface TokenOptions {
  readonly app?: number;
  readonly id?: number;
  readonly token?: string;
  readonly overlap?: number;
  readonly expiresIn?: number;
  readonly endEndpoints?: boolean;
}

interface IssueOptions {
  readonly app: number;
  readonly expiresIn: Lifetime;
  readonly name?: string;
  readonly scopes?: readonly Scope[];
  readonly language?: string;
}

async function issueToken({ container }: Service, options: IssueOptions): Promise<Result> {
  const { app: appId, expiresIn, name, scopes, language } = options;
  const expiresAt = expiryOf(expiresIn, container.get(TOKENS.Clock).now());
  const issued = await container.get(TOKENS.Apps).issueToken({ appId, name, scopes, language, expiresAt });
  if (issued === undefined) throw new Error(`There is no app ${appId}.`);
  return { json: { access_token: issued, expires_at: expiresAt?.toISOString() ?? null }, text: issued };
}

async function listTokens({ container }: Service, { app = 0 }: TokenOptions): Promise<Result> {
  const { tokenAdministration } = container.get(TOKENS.Database);
  const tokens = await tokenAdministration.list(app, { offset: 0, limit: MAX_PAGE_SIZE });
  return { json: { access_tokens: tokens.map(presentToken) }, text: tokens.map(describeToken).join('\n') };
}

async function rotateToken({ container }: Service, options: TokenOptions): Promise<Result> {
  const { app = 0, id = 0, overlap, expiresIn } = options;
  const rotated = await container
    .get(TOKENS.Apps)
    .rotateToken(app, id, { overlapHours: overlap, lifetimeHours: expiresIn });
  if (rotated === undefined) throw new Error(`The app ${app} has no token ${id}.`);
  if (isRefusal(rotated)) throw new Error(`Token ${id} has expired or is revoked.`);
  const { token, secret } = rotated;
  return { json: { ...presentToken(token), access_token: secret }, text: secret };
}

type Revoke = (endsEndpoints: boolean) => Promise<RevokedToken | Refusal | undefined>;

async function revokeToken({ container }: Service, { app, id, token, endEndpoints }: TokenOptions): Promise<Result> {
  if ((id === undefined) === (token === undefined))
    throw new Error('Name the token by --app and --id, or by --token -.');
  const apps = container.get(TOKENS.Apps);
  const revoke = token === undefined ? revocationById(apps, app, id) : await revocationOfSecret(apps, token);
  let revoked = await revoke(endEndpoints ?? false);
  if (revoked === undefined || isRefusal(revoked)) throw new Error('There is no such token.');
  if (!endEndpoints && revoked.endpoints.length > 0 && (await asksToEnd(revoked.endpoints))) {
    revoked = (await revoke(true)) as RevokedToken;
  }
  const endpoints = revoked.endpoints.map(({ id: endpointId, url, status }) => ({ id: endpointId, url, status }));
  const lines = endpoints.map(
    ({ id: endpointId, url, status }) => `Webhook endpoint ${endpointId} (${url}) is ${status}.`,
  );
  return {
    json: { revoked: true, webhook_endpoints: endpoints },
    text: ['The token is revoked.', ...lines].join('\n'),
  };
}

function revocationById(apps: AppAdministration, app: number | undefined, id = 0): Revoke {
  if (app === undefined) throw new Error('--id needs --app.');
  return (endsEndpoints) => apps.revokeTokenById(app, id, { endsEndpoints });
}

async function revocationOfSecret(apps: AppAdministration, token: string): Promise<Revoke> {
  if (token !== STANDARD_INPUT)
    process.stderr.write('Other users of this machine can see this token. Use --id or --token - instead.\n');
  const secret = token === STANDARD_INPUT ? (await readAll(process.stdin)).trim() : token;
  return (endsEndpoints) => apps.revokeToken(secret, endsEndpoints);
}

/** Returns false without asking when nobody can answer. */
async function asksToEnd(endpoints: readonly WebhookEndpoint[]): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`It has made ${endpoints.length} webhook endpoints. Pause them too? [y/N] `);
  terminal.close();
  return answer.trim().toLowerCase() === 'y';
}

function presentToken(token: AppToken): object {
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    inserted_at: formatDateTime(token.insertedAt),
    last_used_at: formatOptional(token.lastUsedAt),
    expires_at: formatOptional(token.expiresAt),
    revoked_at: formatOptional(token.revokedAt),
  };
}

function describeToken({ id, name, scopes, lastUsedAt, expiresAt, revokedAt }: AppToken): string {
  const end = revokedAt ? `revoked ${formatDateTime(revokedAt)}` : `expires ${formatOptional(expiresAt) ?? 'never'}`;
  const scopeText = scopes === null ? 'every scope' : scopes.join(',');
  return [id, name ?? '-', scopeText, `last used ${formatOptional(lastUsedAt) ?? 'never'}`, end].join('  ');
}
