import {
  DEFAULT_OVERLAP_HOURS,
  DEFAULT_TOKEN_LIFETIME_DAYS,
  type AccessTokenQueries,
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
import { MAX_WEBHOOK_ENDPOINTS, type WebhookEndpoint, type WebhookEndpoints } from '@back-office/events';
import { addHours, isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import { hashToken, newToken, tokenKeyOf } from '../http/authentication.js';

const APPS_PER_PAGE = 1_000;

export interface AppPorts {
  readonly apps: Apps;
  readonly appQueries: AppQueries;
  readonly accessTokens: AccessTokens;
  readonly accessTokenQueries: AccessTokenQueries;
  readonly tokenAdministration: TokenAdministration;
  readonly webhookEndpoints: WebhookEndpoints;
}

export interface RevocationOptions {
  readonly granted?: GrantedScopes;
  readonly endsEndpoints?: boolean;
}

export interface RevokedToken {
  readonly hash: Uint8Array;
  /** Webhook endpoints that the token has made. */
  readonly endpoints: readonly WebhookEndpoint[];
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

  /** Returns `undefined` for an unknown token. A second revocation keeps the time of the first. */
  async revokeToken(token: string, endsEndpoints = false): Promise<RevokedToken | undefined> {
    const key = tokenKeyOf(token);
    const holder = key && (await this.ports.accessTokenQueries.holderOf(key));
    if (key === undefined || holder === undefined) return undefined;
    await this.ports.accessTokens.revoke(key);
    return { hash: key.hash, endpoints: await this.endpointsOf(holder.app.id, holder.tokenId, endsEndpoints) };
  }

  /**
   * Revokes a token of the app, and with it the upload tokens that it made. Its webhook endpoints go on, unless
   * `endsEndpoints` pauses them. Refuses in the same cases as `TokenAdministration.revoke`.
   */
  async revokeTokenById(
    appId: number,
    id: number,
    { granted = null, endsEndpoints = false }: RevocationOptions = {},
  ): Promise<RevokedToken | Refusal | undefined> {
    const hash = await this.ports.tokenAdministration.revoke(appId, id, granted);
    if (hash === undefined || isRefusal(hash)) return hash;
    return { hash, endpoints: await this.endpointsOf(appId, id, endsEndpoints) };
  }

  private async endpointsOf(appId: number, tokenId: number, areEnded: boolean): Promise<readonly WebhookEndpoint[]> {
    const { webhookEndpoints } = this.ports;
    const endpoints = await webhookEndpoints.list(appId, { offset: 0, limit: MAX_WEBHOOK_ENDPOINTS });
    const made = endpoints.filter(({ createdBy }) => createdBy === tokenId);
    if (!areEnded) return made;
    const changes = made.map(({ id }) => webhookEndpoints.change(appId, id, { status: 'paused' }));
    const paused = await Promise.all(changes);
    return paused.flatMap((endpoint) => (endpoint === undefined || isRefusal(endpoint) ? [] : [endpoint]));
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
