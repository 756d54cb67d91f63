import {
  contextOf,
  tokenEntry,
  type AccessTokenQueries,
  type AccessTokens,
  type AppToken,
  type NewAccessToken,
  type TokenHolder,
  type TokenKey,
} from '@back-office/apps';
import type { Clock } from '@back-office/kernel';
import type { State } from '../state.js';
import { audit } from './audit-entries.js';
import { addToken, findToken } from './held-tokens.js';
import { NO_APP_ID } from './memory-apps.js';
import { revokeToken, toAppToken } from './memory-token-administration.js';

export class MemoryAccessTokens implements AccessTokens, AccessTokenQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async add({ appId, hash, upload, createdBy, ...fields }: NewAccessToken): Promise<AppToken | undefined> {
    return this.state.memory.transaction(() => {
      if (!this.state.apps.get(NO_APP_ID, appId)) return undefined;
      const { language, expiresAt, name, scopes } = fields;
      const token = addToken(this.state, appId, hash, {
        kind: upload ? 'upload' : 'app',
        upload: upload ?? null,
        created_by: createdBy ?? null,
        name: name ?? null,
        scopes: scopes ?? null,
        language: language ?? null,
        inserted_at: this.clock.now(),
        expires_at: expiresAt ?? null,
      });
      audit(this.state, appId, this.clock.now(), [tokenEntry('access_token.create', toAppToken(token))]);
      return toAppToken(token);
    });
  }

  async revoke(key: TokenKey): Promise<boolean> {
    return this.state.memory.transaction(() => {
      const appToken = findToken(this.state, key);
      if (appToken === undefined) return false;
      const { appId, token } = appToken;
      revokeToken(this.state, appId, token, this.clock.now());
      return true;
    });
  }

  async holderOf(key: TokenKey): Promise<TokenHolder | undefined> {
    const appToken = findToken(this.state, key);
    const app = appToken && this.state.apps.get(NO_APP_ID, appToken.appId);
    if (!app) return undefined;
    const { id: tokenId, kind, scopes, upload, customer_id: customerId, language } = appToken.token;
    const creator = this.state.accessTokens.get(appToken.appId, appToken.token.created_by ?? 0);
    const { expires_at: expiresAt, revoked_at: ownRevocation } = appToken.token;
    const revokedAt = ownRevocation ?? creator?.revoked_at ?? null;
    const { inserted_at: insertedAt, last_used_at: lastUsedAt } = appToken.token;
    const context = contextOf(app, language ?? app.default_language);
    return { tokenId, kind, scopes, upload, customerId, expiresAt, revokedAt, insertedAt, lastUsedAt, app: context };
  }
}
