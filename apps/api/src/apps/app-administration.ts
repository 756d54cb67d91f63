import type { AccessTokens, AppContext, AppQueries, Apps, NewAccessToken, NewApp } from '@back-office/apps';
import { hashOfToken, newToken } from '../http/authentication.js';

export class AppAdministration {
  constructor(
    private readonly apps: Apps,
    private readonly queries: AppQueries,
    private readonly tokens: AccessTokens,
  ) {}

  create(app: NewApp): Promise<number> {
    return this.apps.create(app);
  }

  /** Returns a new app token, of which only the hash is stored; undefined for an unknown app. */
  async issueToken(options: Omit<NewAccessToken, 'hash'>): Promise<string | undefined> {
    const token = newToken('app');
    return (await this.tokens.add({ ...options, hash: hashOfToken(token) })) ? token : undefined;
  }

  /** Returns false for an unknown token. Revoking again keeps the first time. */
  revokeToken(token: string): Promise<boolean> {
    return this.tokens.revoke(hashOfToken(token));
  }

  any(): Promise<boolean> {
    return this.queries.any();
  }

  ids(): Promise<number[]> {
    return this.queries.ids();
  }

  context(appId: number): Promise<AppContext | undefined> {
    return this.queries.context(appId);
  }
}
