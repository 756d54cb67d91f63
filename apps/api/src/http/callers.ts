import type { AccessTokenQueries, TokenHolder } from '@back-office/apps';
import type { Calls } from '@back-office/database';
import { Memory, type Clock } from '@back-office/kernel';
import type { Request } from 'express';
import {
  authenticate,
  type AuthenticatedRoute,
  type Credentials,
  credentialsOf,
  tokenKeyOf,
} from './authentication.js';
import { CallsInProgress } from './calls-in-progress.js';
import { addressOf } from './caller-address.js';
import { Busy, type Rejection } from './errors.js';
import { countStranger, type RateLimits } from './rate-limit.js';

const CALLS_PER_LOOK_UP_ABOVE_LIMIT = 10;

export interface CallerParts {
  readonly tokens: AccessTokenQueries;
  readonly calls: Pick<Calls, 'runFor'>;
  readonly clock: Clock;
  readonly maxCalls: { readonly perAddress: number };
  readonly rateLimits: RateLimits | undefined;
}

/** Identifies a caller by the app of a token that was valid before, or else by address. */
export class Callers {
  /** The app of each recently valid token. Calls with these tokens are not slowed down when others guess tokens. */
  private readonly appOfKnownToken: Memory<number>;
  private readonly lookUps: CallsInProgress<string>;
  private callsAboveLimit = 0;
  private readonly credentials = new WeakMap<Request, Credentials>();

  constructor(private readonly parts: CallerParts) {
    this.lookUps = new CallsInProgress(parts.maxCalls.perAddress);
    this.appOfKnownToken = new Memory(Infinity, parts.clock);
  }

  /** Returns the party of the caller: the app id of a known token, or else the address. */
  partyOf(request: Request): number | string {
    return this.knownAppOf(this.credentialsOf(request)) ?? addressOf(request);
  }

  /**
   * Returns the token's holder or a rejection. Throws {@link LimitExceeded} when the address sends too many calls
   * without a valid token.
   */
  async authenticate(request: Request, route: AuthenticatedRoute): Promise<TokenHolder | Rejection> {
    const credentials = this.credentialsOf(request);
    const knownApp = this.knownAppOf(credentials);
    const holder = await (knownApp === undefined
      ? this.authenticateStranger(credentials, route, addressOf(request))
      : this.lookUp(credentials, route, knownApp));
    if (credentials.key && 'tokenId' in holder) this.appOfKnownToken.set(credentials.key.mapKey, holder.app.id);
    else if (credentials.key && 'failure' in holder) this.appOfKnownToken.delete(credentials.key.mapKey);
    return holder;
  }

  /** Makes a new token known, so that it works even from an address above its limit. */
  rememberIssued(token: string, appId: number): void {
    const key = tokenKeyOf(token);
    if (key) this.appOfKnownToken.set(key.mapKey, appId);
  }

  private knownAppOf({ key }: Credentials): number | undefined {
    return key && this.appOfKnownToken.get(key.mapKey);
  }

  private async authenticateStranger(
    credentials: Credentials,
    route: AuthenticatedRoute,
    address: string,
  ): Promise<TokenHolder | Rejection> {
    const counter = this.parts.rateLimits?.perAddress;
    const limitError = await countStranger(counter, address);
    if (limitError && !this.isLookedUpAboveLimit()) throw limitError;
    const holder = await this.lookUps.run(address, () => this.lookUp(credentials, route, address));
    if (holder === undefined) throw new Busy('address_look_ups');
    if (!('failure' in holder)) await counter?.uncount(address);
    else if (limitError) throw limitError;
    return holder;
  }

  /**
   * Returns true for every nth call above the limit, because a call with a valid token may come from the same proxy.
   */
  private isLookedUpAboveLimit(): boolean {
    this.callsAboveLimit += 1;
    return this.callsAboveLimit % CALLS_PER_LOOK_UP_ABOVE_LIMIT === 0;
  }

  private lookUp(
    credentials: Credentials,
    route: AuthenticatedRoute,
    key: number | string,
  ): Promise<TokenHolder | Rejection> {
    const { tokens, calls, clock } = this.parts;
    return calls.runFor({ kind: 'token', key }, () => authenticate(credentials, route, tokens, clock));
  }

  private credentialsOf(request: Request): Credentials {
    const knownCredentials = this.credentials.get(request);
    if (knownCredentials) return knownCredentials;
    const credentials = credentialsOf(request);
    this.credentials.set(request, credentials);
    return credentials;
  }
}
