import {
  checkChange,
  checkGranted,
  MIN_USE_INTERVAL_MS,
  overlapEnd,
  revocationEntry,
  rotationEntry,
  tokenChangeEntries,
  type AppToken,
  type GrantedScopes,
  type TokenAdministration,
  type TokenChange,
  type TokenKind,
  type TokenRotation,
  type TokenUse,
} from '@back-office/apps';
import { isRefusal, type Clock, type Page, type Refusal } from '@back-office/kernel';
import type { Transaction } from '../connection/transaction.js';
import type { Postgres } from '../connection/postgres.js';

export const TOKEN_COLUMNS = `id, name, scopes, language, inserted_at as "insertedAt", last_used_at as "lastUsedAt",
  expires_at as "expiresAt", revoked_at as "revokedAt"`;

const LIST_TOKENS = `
  select ${TOKEN_COLUMNS} from access_tokens where app_id = $1 and kind = 'app' order by id offset $2 limit $3`;

const LOCK_TOKEN = `
  select ${TOKEN_COLUMNS}, token_hash as hash from access_tokens
  where app_id = $1 and id = $2 and kind = any($3::text[]) for no key update`;

const CHANGE_TOKEN = `
  update access_tokens set name = $3, scopes = $4, expires_at = $5
  where app_id = $1 and id = $2`;

const END_OVERLAP = 'update access_tokens set expires_at = $3 where app_id = $1 and id = $2';

const INSERT_TOKEN = `
  insert into access_tokens (app_id, kind, token_hash, name, scopes, language, inserted_at, expires_at)
  values ($1, 'app', $2, $3, $4, $5, $6, $7) returning ${TOKEN_COLUMNS}`;

const TAKE_OVER_UPLOADS = 'update access_tokens set created_by = $3 where app_id = $1 and created_by = $2';
const TAKE_OVER_ENDPOINTS = 'update webhook_endpoints set created_by = $3 where app_id = $1 and created_by = $2';

const REVOKE_TOKEN = 'update access_tokens set revoked_at = $3 where app_id = $1 and id = $2';

// Locks the tokens in the order of their ids, so that concurrent writes of last uses cannot deadlock.
const LOCK_USED_TOKENS = `
  select id from access_tokens where app_id = $1 and id = any($2::bigint[]) order by id for no key update`;

// The limits come as values, because a cluster refuses calculations with intervals here.
const RECORD_USES = `
  update access_tokens t set last_used_at = u.at
  from unnest($2::bigint[], $3::timestamptz[], $4::timestamptz[]) as u (id, at, used_until)
  where t.app_id = $1 and t.id = u.id and (t.last_used_at is null or t.last_used_at <= u.used_until)`;

interface LockedToken extends AppToken {
  readonly hash: Uint8Array;
}

export class SqlTokenAdministration implements TokenAdministration {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  list(appId: number, { offset, limit }: Page): Promise<AppToken[]> {
    return this.database.rows<AppToken>(LIST_TOKENS, [appId, offset, limit]);
  }

  change(
    appId: number,
    id: number,
    change: TokenChange,
    granted: GrantedScopes,
  ): Promise<AppToken | Refusal | undefined> {
    return this.database.transaction(async (transaction) => {
      const token = await this.lockActive(transaction, appId, id, change, granted);
      if (token === undefined || isRefusal(token)) return token;
      const { name = token.name, scopes = token.scopes, expiresAt = token.expiresAt } = change;
      const changedToken = { ...withoutHash(token), name, scopes, expiresAt };
      transaction.record(appId, this.clock.now(), { entries: tokenChangeEntries(changedToken, token) });
      await transaction.runLast(CHANGE_TOKEN, [appId, id, name, scopes, expiresAt]);
      return changedToken;
    });
  }

  rotate(
    appId: number,
    id: number,
    { hash, expiresAt, overlapEndsAt }: TokenRotation,
    granted: GrantedScopes,
  ): Promise<AppToken | Refusal | undefined> {
    return this.database.transaction(async (transaction) => {
      const token = await this.lockActive(transaction, appId, id, {}, granted);
      if (token === undefined || isRefusal(token)) return token;
      await transaction.rows(END_OVERLAP, [appId, id, overlapEnd(token, overlapEndsAt)]);
      const properties = [token.name, token.scopes, token.language, this.clock.now(), expiresAt];
      const [newToken] = await transaction.rows<AppToken>(INSERT_TOKEN, [appId, hash, ...properties]);
      if (newToken === undefined) return undefined;
      transaction.record(appId, this.clock.now(), { entries: [rotationEntry(token, newToken)] });
      await transaction.rows(TAKE_OVER_UPLOADS, [appId, id, newToken.id]);
      transaction.locks('webhook');
      await transaction.rows(TAKE_OVER_ENDPOINTS, [appId, id, newToken.id]);
      return newToken;
    });
  }

  revoke(appId: number, id: number, granted: GrantedScopes): Promise<Uint8Array | Refusal | undefined> {
    return this.database.transaction(async (transaction) => {
      const token = await lockToken(transaction, appId, id, ['app', 'upload']);
      const refusal = token && checkGranted(granted, token.scopes);
      if (token === undefined || refusal) return refusal;
      if (token.revokedAt !== null) return token.hash;
      const revokedAt = this.clock.now();
      transaction.record(appId, revokedAt, { entries: [revocationEntry('app', { ...token, revokedAt })] });
      await transaction.runLast(REVOKE_TOKEN, [appId, id, revokedAt]);
      return token.hash;
    });
  }

  async recordUses(appId: number, uses: readonly TokenUse[]): Promise<void> {
    const ids = uses.map(({ tokenId }) => tokenId);
    const times = uses.map(({ at }) => at);
    const limits = times.map((at) => new Date(at.getTime() - MIN_USE_INTERVAL_MS));
    await this.database.transaction(async (transaction) => {
      transaction.locks('token');
      await transaction.rows(LOCK_USED_TOKENS, [appId, ids]);
      await transaction.runLast(RECORD_USES, [appId, ids, times, limits]);
    });
  }

  private async lockActive(
    transaction: Transaction,
    appId: number,
    id: number,
    change: TokenChange,
    granted: GrantedScopes,
  ): Promise<LockedToken | Refusal | undefined> {
    const token = await lockToken(transaction, appId, id, ['app']);
    return token && (checkChange(token, change, granted, this.clock.now()) ?? token);
  }
}

async function lockToken(
  transaction: Transaction,
  appId: number,
  id: number,
  kinds: readonly TokenKind[],
): Promise<LockedToken | undefined> {
  transaction.locks('token');
  const [token] = await transaction.rows<LockedToken>(LOCK_TOKEN, [appId, id, kinds]);
  return token;
}

function withoutHash({ hash: _hash, ...token }: LockedToken): AppToken {
  return token;
}
