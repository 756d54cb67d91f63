import {
  type AccessTokenQueries,
  type AccessTokens,
  type App,
  contextOf,
  type NewAccessToken,
  type TokenHolder,
  type TokenKind,
} from '@back-office/apps';
import type { Clock } from '@back-office/kernel';
import type { Postgres } from '../postgres.js';
import { SETTINGS_COLUMNS } from './app-columns.js';

const INSERT_TOKEN = `
  insert into access_tokens (app_id, kind, token_hash, language, inserted_at, expires_at)
  select id, 'app', $2, $3, $4, $5 from apps where id = $1 returning id`;

// Every call runs this statement, so it reads only the translations of the token's language.
const FIND_HOLDER = `
  select t.id as token_id, t.kind, t.customer_id, spoken.language, t.expires_at, t.revoked_at, ${SETTINGS_COLUMNS},
    jsonb_strip_nulls(jsonb_build_object(spoken.language, a.translations -> spoken.language)) as translations
  from access_tokens t join apps a on a.id = t.app_id
    cross join lateral (select coalesce(t.language, a.default_language) as language) spoken
  where t.token_hash = $1`;

interface HolderRow extends App {
  readonly token_id: number;
  readonly kind: TokenKind;
  readonly customer_id: number | null;
  readonly language: string;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

export class SqlAccessTokens implements AccessTokens, AccessTokenQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async add({ appId, hash, language, expiresAt }: NewAccessToken): Promise<boolean> {
    const values = [appId, hash, language ?? null, this.clock.now(), expiresAt ?? null];
    const insertedRows = await this.database.rows(INSERT_TOKEN, values);
    return insertedRows.length > 0;
  }

  async revoke(hash: Uint8Array): Promise<boolean> {
    const revokedRows = await this.database.rows(
      'update access_tokens set revoked_at = coalesce(revoked_at, $2) where token_hash = $1 returning id',
      [hash, this.clock.now()],
    );
    return revokedRows.length > 0;
  }

  async holderOf(hash: Uint8Array): Promise<TokenHolder | undefined> {
    const [row] = await this.database.rows<HolderRow>(FIND_HOLDER, [hash]);
    if (row === undefined) return undefined;
    const { token_id: tokenId, kind, customer_id: customerId, language } = row;
    const { expires_at: expiresAt, revoked_at: revokedAt } = row;
    return { tokenId, kind, customerId, expiresAt, revokedAt, app: contextOf(row, language) };
  }
}
