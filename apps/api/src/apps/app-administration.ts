import {
  DEFAULT_OVERLAP_HOURS,
  DEFAULT_TOKEN_LIFETIME_DAYS,
  type AccessTokens,
  type AppContext,
  type AppQueries,
  type Apps,
  type AppToken,
  type GrantedScopes,
  type ListedApp,
  type NewAccessToken,
  type NewApp,
  type TokenAdministration,
} from '@back-office/apps';
import { addHours, isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import { hashToken, newToken, tokenKeyOf } from '../http/authentication.js';

const APPS_PER_PAGE = 1_000;

export interface AppPorts {
  readonly apps: Apps;
  readonly appQueries: AppQueries;
  readonly accessTokens: AccessTokens;
  readonly tokenAdministration: TokenAdministration;
}

export interface IssuedToken {
  readonly token: AppToken;
  /** The token in plain text; the database stores only its hash. */
  readonly secret: string;
}

export interface RotationOptions {
  readonly overlapHours?: number | undefined;
  readonly lifetimeHours?: number | undefined;
}

export class AppAdministration {
  constructor(
    private readonly ports: AppPorts,
    private readonly clock: Clock,
  ) {}

  create(app: NewApp): Promise<number> {
    return this.ports.apps.create(app);
  }

  /** Returns the secret of a new app token, or undefined for an unknown app. */
  async issueToken(options: Omit<NewAccessToken, 'hash'>): Promise<string | undefined> {
    return (await this.addToken(options))?.secret;
  }

  async addToken(options: Omit<NewAccessToken, 'hash'>): Promise<IssuedToken | undefined> {
    const secret = newToken('app', options.appId);
    const token = await this.ports.accessTokens.add({ ...options, hash: hashToken(secret) });
    return token && { token, secret };
  }

  /** Refuses in the same cases as `TokenAdministration.rotate`. */
  async rotateToken(
    appId: number,
    id: number,
    { overlapHours = DEFAULT_OVERLAP_HOURS, lifetimeHours = DEFAULT_TOKEN_LIFETIME_DAYS * 24 }: RotationOptions,
    granted: GrantedScopes = null,
  ): Promise<IssuedToken | Refusal | undefined> {
    const secret = newToken('app', appId);
    const now = this.clock.now();
    const rotation = {
      hash: hashToken(secret),
      expiresAt: addHours(now, lifetimeHours),
      overlapEndsAt: addHours(now, overlapHours),
    };
    const token = await this.ports.tokenAdministration.rotate(appId, id, rotation, granted);
    return token === undefined || isRefusal(token) ? token : { token, secret };
  }

  /** Returns false for an unknown token. A second revocation keeps the time of the first. */
  async revokeToken(token: string): Promise<boolean> {
    const key = tokenKeyOf(token);
    return key !== undefined && this.ports.accessTokens.revoke(key);
  }

  hasApps(): Promise<boolean> {
    return this.ports.appQueries.hasApps();
  }

  ids(): Promise<number[]> {
    return this.ports.appQueries.ids();
  }

  /** Lists all apps in the order of their ids. */
  async *list(): AsyncGenerator<ListedApp> {
    for (let page = await this.listAfter(0); page.length > 0; page = await this.listAfter(page.at(-1)?.id ?? 0))
      yield* page;
  }

  private listAfter(id: number): Promise<ListedApp[]> {
    return this.ports.appQueries.list(id, APPS_PER_PAGE);
  }

  context(appId: number): Promise<AppContext | undefined> {
    return this.ports.appQueries.context(appId);
  }
}
