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
import type { Clock, Page, Refusal } from '@back-office/kernel';
import { pageOf } from '../lists.js';
import type { State } from '../state.js';
import type { AccessTokenRecord } from './access-token-record.js';
import { audit } from './audit-entries.js';
import { addToken } from './held-tokens.js';

export class MemoryTokenAdministration implements TokenAdministration {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async list(appId: number, page: Page): Promise<AppToken[]> {
    const tokens = this.state.accessTokens.all(appId).filter(({ kind }) => kind === 'app');
    return pageOf(tokens, page).map(toAppToken);
  }

  async change(
    appId: number,
    id: number,
    change: TokenChange,
    granted: GrantedScopes,
  ): Promise<AppToken | Refusal | undefined> {
    return this.state.memory.transaction(() => {
      const token = this.find(appId, id);
      if (token === undefined) return undefined;
      const refusal = checkChange(toAppToken(token), change, granted, this.clock.now());
      if (refusal) return refusal;
      const { name = token.name, scopes = token.scopes, expiresAt = token.expires_at } = change;
      const changedToken = { ...token, name, scopes, expires_at: expiresAt };
      const entries = tokenChangeEntries(toAppToken(changedToken), toAppToken(token));
      audit(this.state, appId, this.clock.now(), entries);
      this.state.accessTokens.put(appId, changedToken);
      return toAppToken(changedToken);
    });
  }

  async rotate(
    appId: number,
    id: number,
    { hash, expiresAt, overlapEndsAt }: TokenRotation,
    granted: GrantedScopes,
  ): Promise<AppToken | Refusal | undefined> {
    return this.state.memory.transaction(() => {
      const token = this.find(appId, id);
      if (token === undefined) return undefined;
      const refusal = checkChange(toAppToken(token), {}, granted, this.clock.now());
      if (refusal) return refusal;
      this.state.accessTokens.put(appId, { ...token, expires_at: overlapEnd(toAppToken(token), overlapEndsAt) });
      const { name, scopes, language } = token;
      const properties = { name, scopes, language, inserted_at: this.clock.now(), expires_at: expiresAt };
      const newToken = toAppToken(addToken(this.state, appId, hash, { kind: 'app', ...properties }));
      this.takeOver(appId, id, newToken.id);
      audit(this.state, appId, this.clock.now(), [rotationEntry(toAppToken(token), newToken)]);
      return newToken;
    });
  }

  async revoke(appId: number, id: number, granted: GrantedScopes): Promise<Uint8Array | Refusal | undefined> {
    return this.state.memory.transaction(() => {
      const token = this.find(appId, id, ['app', 'upload']);
      const refusal = token && checkGranted(granted, token.scopes);
      if (token === undefined || refusal) return refusal;
      revokeToken(this.state, appId, token, this.clock.now());
      return Buffer.from(token.hash, 'hex');
    });
  }

  async recordUses(appId: number, uses: readonly TokenUse[]): Promise<void> {
    this.state.memory.transaction(() => {
      for (const { tokenId, at } of uses) {
        const token = this.state.accessTokens.get(appId, tokenId);
        const lastUsedMs = token?.last_used_at?.getTime() ?? -Infinity;
        if (token && lastUsedMs <= at.getTime() - MIN_USE_INTERVAL_MS)
          this.state.accessTokens.put(appId, { ...token, last_used_at: at });
      }
    });
  }

  private takeOver(appId: number, oldId: number, newId: number): void {
    const { accessTokens, webhookEndpoints } = this.state;
    for (const token of accessTokens.all(appId))
      if (token.created_by === oldId) accessTokens.put(appId, { ...token, created_by: newId });
    for (const stored of webhookEndpoints.all(appId)) {
      if (stored.endpoint.createdBy !== oldId) continue;
      webhookEndpoints.put(appId, { ...stored, endpoint: { ...stored.endpoint, createdBy: newId } });
    }
  }

  private find(appId: number, id: number, kinds: readonly TokenKind[] = ['app']): AccessTokenRecord | undefined {
    const token = this.state.accessTokens.get(appId, id);
    return token && kinds.includes(token.kind) ? token : undefined;
  }
}

/** A repeated call keeps the first revocation time. */
export function revokeToken(state: State, appId: number, token: AccessTokenRecord, now: Date): void {
  if (token.revoked_at !== null) return;
  const revokedToken = { ...token, revoked_at: now };
  state.accessTokens.put(appId, revokedToken);
  audit(state, appId, now, [revocationEntry(token.kind, toAppToken(revokedToken))]);
}

export function toAppToken(token: AccessTokenRecord): AppToken {
  const { id, name, scopes, language } = token;
  const { inserted_at: insertedAt, last_used_at: lastUsedAt, expires_at: expiresAt, revoked_at: revokedAt } = token;
  return { id, name, scopes, language, insertedAt, lastUsedAt, expiresAt, revokedAt };
}
