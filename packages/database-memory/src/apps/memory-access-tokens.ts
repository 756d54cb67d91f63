import {
  contextOf,
  type AccessTokenQueries,
  type AccessTokens,
  type NewAccessToken,
  type TokenHolder,
} from '@back-office/apps';
import type { Clock } from '@back-office/kernel';
import type { State } from '../state.js';
import { addToken, tokenByHash } from './held-tokens.js';
import { INSTALLATION } from './memory-apps.js';

export class MemoryAccessTokens implements AccessTokens, AccessTokenQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async add({ appId, hash, language, expiresAt }: NewAccessToken): Promise<boolean> {
    return this.state.memory.transaction(() => {
      if (!this.state.apps.get(INSTALLATION, appId)) return false;
      addToken(this.state, appId, hash, { kind: 'app', language: language ?? null, expires_at: expiresAt ?? null });
      return true;
    });
  }

  async revoke(hash: Uint8Array): Promise<boolean> {
    return this.state.memory.transaction(() => {
      const appToken = tokenByHash(this.state, hash);
      if (appToken === undefined) return false;
      const { appId, token } = appToken;
      this.state.accessTokens.put(appId, { ...token, revoked_at: token.revoked_at ?? this.clock.now() });
      return true;
    });
  }

  async holderOf(hash: Uint8Array): Promise<TokenHolder | undefined> {
    const appToken = tokenByHash(this.state, hash);
    const app = appToken && this.state.apps.get(INSTALLATION, appToken.appId);
    if (!app) return undefined;
    const { id: tokenId, kind, customer_id: customerId, language } = appToken.token;
    const { expires_at: expiresAt, revoked_at: revokedAt } = appToken.token;
    return { tokenId, kind, customerId, expiresAt, revokedAt, app: contextOf(app, language ?? app.default_language) };
  }
}
