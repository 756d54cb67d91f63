import type { AccessTokens, AppContext, AppQueries, Apps, NewAccessToken, NewApp } from '@back-office/apps';
import { hashToken, newToken } from '../http/authentication.js';

export class AppAdministration {
  constructor(
    private readonly apps: Apps,
    private readonly queries: AppQueries,
    private readonly tokens: AccessTokens,
  ) {}

  create(app: NewApp): Promise<number> {
    return this.apps.create(app);
  }

  /** Returns a new app token, or undefined for an unknown app. Only the hash is stored. */
  async issueToken(options: Omit<NewAccessToken, 'hash'>): Promise<string | undefined> {
    const token = newToken('app');
    return (await this.tokens.add({ ...options, hash: hashToken(token) })) ? token : undefined;
  }

  /** Returns false for an unknown token. A second revocation keeps the first time. */
  revokeToken(token: string): Promise<boolean> {
    return this.tokens.revoke(hashToken(token));
  }

  hasApps(): Promise<boolean> {
    return this.queries.hasApps();
  }

  ids(): Promise<number[]> {
    return this.queries.ids();
  }

  context(appId: number): Promise<AppContext | undefined> {
    return this.queries.context(appId);
  }
}
