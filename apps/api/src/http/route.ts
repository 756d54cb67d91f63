import type { Refusal } from '@back-office/kernel';
import type { ConditionalKind } from '@back-office/database';
import type { TSchema } from '@sinclair/typebox';
import type { Request } from 'express';
import type { AppContext, GrantedScopes, Scope, UploadGrant } from '@back-office/apps';
import type { HandlerResult } from './answer.js';
import type { Deprecation } from './deprecation.js';
import type { ReceivedFile } from './multipart.js';
import type { BodyClass } from './validate-body.js';

/** `app` means an app's token, `customer` a customer's session, `session` any session. */
export type Caller = 'app' | 'customer' | 'session' | 'public';

export interface Call<Body = unknown> {
  readonly app: AppContext;
  readonly tokenId: number;
  readonly scopes: GrantedScopes;
  /** What an upload token may do; null for other tokens. */
  readonly upload: UploadGrant | null;
  /** The signed-in customer, or 0. */
  readonly customerId: number;
  /** The `:id` of the path, or 0. */
  readonly id: number;
  readonly ids: Readonly<Record<string, number>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Body;
  /** The file is removed when the call is answered. */
  readonly file: ReceivedFile | undefined;
  readonly request: Request;
}

/** Maximum size of a JSON body that a customer's phone sends. */
export const SMALL_BODY_BYTES = 16 * 1024;

export interface QueryParameter {
  readonly schema: TSchema;
  readonly description: string;
  readonly required?: boolean;
  /** Returns whether the call uses the value. Default: by the type of the schema. Strict calls refuse other values. */
  readonly isUsable?: (value: unknown) => boolean;
}

/** Lets `If-Match` guard a record. */
export interface Guard {
  readonly kind: ConditionalKind;
  /** Path of the call that shows the record. Its answer has the tag of the record. */
  readonly shownBy: string;
  /** Default: the `:id` of the path. */
  readonly id?: (call: Call) => number | Promise<number>;
}

/** A route for an app's token names the scope that the token needs. Sessions have no scopes. */
type RouteCaller =
  | { readonly caller: 'app'; readonly scope: Scope }
  | { readonly caller: Exclude<Caller, 'app'>; readonly scope?: never };

export type Route<Body extends object = object> = RouteParts<Body> & RouteCaller;

interface RouteParts<Body extends object> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path below `/api/v2`. `:id` identifies the record; ids of nested records have other names. */
  readonly path: string;
  /** The published interface does not list this call. */
  readonly extension?: boolean;
  readonly summary: string;
  readonly deprecated?: Deprecation;
  readonly body?: BodyClass<Body>;
  /** The body is `multipart/form-data` with an optional field `file`. */
  readonly upload?: boolean;
  /** The handler limits an upload token to its folder and preset. */
  readonly acceptsUploadTokens?: boolean;
  readonly bodyOptional?: boolean;
  /** Default: {@link SMALL_BODY_BYTES} for a call of a session's token, else the limit of the configuration. */
  readonly maxBodyBytes?: number;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  readonly ignoresInvalidFilters?: boolean;
  /** The rows of the list are sent as they are read. */
  readonly isStreamed?: boolean;
  /** Response schemas of successes by status; `null` means no body. */
  readonly answers: Readonly<Record<number, TSchema | null>>;
  /** The record that the call changes. Without a guard, a call with `If-Match` is answered 412. */
  readonly guard?: Guard;
  /** The answer holds a secret that must not be stored, so `Idempotency-Key` is ignored. */
  readonly answersSecret?: boolean;
  readonly media?: readonly string[];
  /** The 400 lists every value of a wrong type, see {@link WrongTypesShape}. */
  readonly namesWrongTypes?: boolean;
  readonly failures?: Readonly<Record<number, TSchema>>;
  readonly refusals?: readonly string[];
  /** Message keys of failed rows in a successful answer. */
  readonly failedRows?: readonly string[];
  /** Message key of the 404 for a missing record. Without a key, the 404 has no body. */
  readonly missingKey?: string;
  readonly emptyWhenMissing?: boolean;
  /**
   * Returns false when the record of the path is missing, or a refusal when the state of the record rules out the call.
   * Runs only before an invalid body is answered 422.
   */
  readonly precheck?: (app: AppContext, id: number, ids: Call['ids']) => Promise<boolean | Refusal>;
  readonly handle: (call: Call<Body>) => Promise<HandlerResult>;
}

/** Gives the handler the type of the body, and hides this type from the route table. */
export function route<Body extends object>(spec: Route<Body>): Route {
  return spec as unknown as Route;
}

export function maxBodyBytes({ maxBodyBytes: maximum, caller }: Route, jsonLimit: number): number {
  return Math.min(maximum ?? (caller === 'app' ? Infinity : SMALL_BODY_BYTES), jsonLimit);
}
