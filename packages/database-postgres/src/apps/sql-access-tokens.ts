import {
  type AccessTokenQueries,
  type AccessTokens,
  type App,
  type AppToken,
  contextOf,
  type NewAccessToken,
  revocationEntry,
  type GrantedScopes,
  tokenEntry,
  type TokenHolder,
  type TokenKey,
  type TokenKind,
} from '@back-office/apps';
import type { Clock } from '@back-office/kernel';
import type { Postgres } from '../connection/postgres.js';
import { SETTINGS_COLUMNS } from './app-columns.js';
import { TOKEN_COLUMNS } from './sql-token-administration.js';

const INSERT_TOKEN = `
  insert into access_tokens (app_id, kind, token_hash, language, inserted_at, expires_at, name, scopes, upload_folder, upload_preset_id, created_by)
  select $1, $8, $2, $3, $4, $5, $6, $7, $9, $10, $11 from apps where id = $1 returning ${TOKEN_COLUMNS}`;

const REVOKE_TOKEN = `
  update access_tokens set revoked_at = $3 where app_id = $1 and token_hash = $2 and revoked_at is null
  returning kind, ${TOKEN_COLUMNS}`;

// Every call looks up its token, so the statement reads only the translations of the token's language.
const HOLDER = `
  select t.id as token_id, t.kind, t.scopes, t.upload_folder, t.upload_preset_id, t.customer_id, spoken.language, t.expires_at, coalesce(t.revoked_at, creator.revoked_at) as revoked_at, t.inserted_at, t.last_used_at, ${SETTINGS_COLUMNS},
    jsonb_strip_nulls(jsonb_build_object(spoken.language, s.translations -> spoken.language)) as translations
  from access_tokens t join app_settings s on s.app_id = t.app_id join apps a on a.id = t.app_id
    left join access_tokens creator on creator.app_id = t.app_id and creator.id = t.created_by
    cross join lateral (select coalesce(t.language, s.default_language) as language) spoken`;
const FIND_HOLDER = `${HOLDER} where t.app_id = $1 and t.token_hash = $2`;
const FIND_HOLDER_IN_ALL_APPS = `
  /* across apps: tokens that do not name their app */ ${HOLDER} where t.token_hash = $1`;

interface HolderRow extends App {
  readonly token_id: number;
  readonly kind: TokenKind;
  readonly scopes: GrantedScopes;
  readonly customer_id: number | null;
  readonly language: string;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly inserted_at: Date;
  readonly upload_folder: string | null;
  readonly upload_preset_id: number | null;
  readonly last_used_at: Date | null;
}

export class SqlAccessTokens implements AccessTokens, AccessTokenQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async add({ appId, hash, upload, createdBy, ...fields }: NewAccessToken): Promise<AppToken | undefined> {
    const now = this.clock.now();
    const { language = null, expiresAt = null, name = null, scopes = null } = fields;
    const properties = [language, now, expiresAt, name, scopes];
    const grant = [upload ? 'upload' : 'app', upload?.folder ?? null, upload?.presetId ?? null, createdBy ?? null];
    const values = [appId, hash, ...properties, ...grant];
    return this.database.transaction(async (transaction) => {
      const [token] = await transaction.rows<AppToken>(INSERT_TOKEN, values);
      if (token) transaction.record(appId, now, { entries: [tokenEntry('access_token.create', token)] });
      return token;
    });
  }

  async revoke(key: TokenKey): Promise<boolean> {
    const holder = await this.holderOf(key);
    if (holder === undefined) return false;
    return this.database.transaction(async (transaction) => {
      const [appId, now] = [holder.app.id, this.clock.now()];
      const values = [appId, key.hash, now];
      const [token] = await transaction.rows<AppToken & { readonly kind: TokenKind }>(REVOKE_TOKEN, values);
      if (token) transaction.record(appId, now, { entries: [revocationEntry(token.kind, token)] });
      return true;
    });
  }

  async holderOf({ hash, appId }: TokenKey): Promise<TokenHolder | undefined> {
    const [row] = await (appId === undefined
      ? this.database.rows<HolderRow>(FIND_HOLDER_IN_ALL_APPS, [hash])
      : this.database.rows<HolderRow>(FIND_HOLDER, [appId, hash]));
    if (row === undefined) return undefined;
    return {
      tokenId: row.token_id,
      kind: row.kind,
      scopes: row.scopes,
      customerId: row.customer_id,
      upload: row.upload_folder === null ? null : { folder: row.upload_folder, presetId: row.upload_preset_id },
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      insertedAt: row.inserted_at,
      lastUsedAt: row.last_used_at,
      app: contextOf(row, row.language),
    };
  }
}
