import type { Refusal } from '@back-office/kernel';
import type { ConditionalKind } from '@back-office/database';
import type { TSchema } from '@sinclair/typebox';
import type { Request } from 'express';
import type { AppContext, GrantedScopes, Scope, UploadGrant } from '@back-office/apps';
import type { HandlerResult } from './answer.js';
import type { Deprecation } from './deprecation.js';
import type { ReceivedFile } from './multipart.js';
import type { BodyClass } from './validate-body.js';

/** Who may make the call: an app, a signed-in customer, any session, or (`public`) anyone without a token. */
export type Caller = 'app' | 'customer' | 'session' | 'public';

export interface Call<Body = unknown> {
  readonly app: AppContext;
  readonly tokenId: number;
  readonly scopes: GrantedScopes;
  /** Folder and preset of an upload token; null for other tokens. */
  readonly upload: UploadGrant | null;
  /** Id of the signed-in customer; 0 without one. */
  readonly customerId: number;
  /** The `:id` of the path; 0 without one. */
  readonly id: number;
  readonly ids: Readonly<Record<string, number>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Body;
  /** Uploaded file, which is removed after the call. */
  readonly file: ReceivedFile | undefined;
  readonly request: Request;
}

/** Maximum size of a JSON body from a phone or browser. */
export const SMALL_BODY_BYTES = 16 * 1024;

export interface QueryParameter {
  readonly schema: TSchema;
  readonly description: string;
  readonly required?: boolean;
  /** Maximum number of rows. The response to a larger value has the header `Limit-Applied`. */
  readonly maximum?: number;
  /**
   * Returns true for a value that the call uses. Default: every value of the schema's type. Strict calls refuse all
   * other values.
   */
  readonly isUsable?: (value: unknown) => boolean;
}

/** Record that `If-Match` protects. */
export interface Guard {
  readonly kind: ConditionalKind;
  /** Path of the GET call whose answer has the tag of the record. */
  readonly shownBy: string;
  /** Id of the record; by default, the `:id` of the path. */
  readonly id?: (call: Call) => number | Promise<number>;
}

/** A route for an app's token needs one of its scopes, the narrowest first. Session tokens have no scopes. */
type RouteCaller =
  | { readonly caller: 'app'; readonly scope: Scope | readonly [Scope, ...Scope[]] }
  | { readonly caller: Exclude<Caller, 'app'>; readonly scope?: never };

export type Route<Body extends object = object> = RouteParts<Body> & RouteCaller;

interface RouteParts<Body extends object> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path below `/api/v2`. `:id` identifies the record; parameters with other names identify nested records. */
  readonly path: string;
  /** Whether the call is absent from the published interface. */
  readonly extension?: boolean;
  readonly summary: string;
  readonly deprecated?: Deprecation;
  readonly body?: BodyClass<Body>;
  /** Whether the body is `multipart/form-data` with an optional field `file`. */
  readonly upload?: boolean;
  /** Whether upload tokens may make the call; its handler then checks folder and preset. */
  readonly acceptsUploadTokens?: boolean;
  readonly bodyOptional?: boolean;
  /** Defaults to the configured limit for an app's token, and to {@link SMALL_BODY_BYTES} for a session's token. */
  readonly maxBodyBytes?: number;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  readonly ignoresInvalidFilters?: boolean;
  /** Whether rows are sent while they are read from the database. */
  readonly isStreamed?: boolean;
  /** Response schemas of successes by status; `null` means no body. */
  readonly answers: Readonly<Record<number, TSchema | null>>;
  /** The record that the call changes. Without it, a call with `If-Match` gets 412. */
  readonly guard?: Guard;
  /** Whether the answer contains a secret, which must not be stored. `Idempotency-Key` is then ignored. */
  readonly returnsSecret?: boolean;
  readonly media?: readonly string[];
  /** Whether the 400 lists every value of a wrong type, as in {@link WrongTypesShape}. */
  readonly listsWrongTypes?: boolean;
  readonly failures?: Readonly<Record<number, TSchema>>;
  readonly refusals?: readonly string[];
  /** Message keys of failed rows in a 2xx answer. */
  readonly failedRows?: readonly string[];
  /** Message key of the 404 for a missing record. Without it, the 404 has no body. */
  readonly missingKey?: string;
  readonly emptyWhenMissing?: boolean;
  /**
   * Runs only before an invalid body gets 422. Returns false when the record of the path is missing, or a refusal when
   * the state of the record forbids the call.
   */
  readonly precheck?: (app: AppContext, id: number, ids: Call['ids']) => Promise<boolean | Refusal>;
  readonly handle: (call: Call<Body>) => Promise<HandlerResult>;
}

/** Checks the handler against the type of the body, then hides this type, because the route table mixes types. */
export function route<Body extends object>(spec: Route<Body>): Route {
  return spec as unknown as Route;
}

/** Returns the scopes of which a token needs one; none for other callers. */
export function scopesOf({ scope }: { readonly scope?: Route['scope'] | undefined }): readonly Scope[] {
  return scope === undefined ? [] : [scope].flat();
}

export function maxBodyBytes({ maxBodyBytes: maximum, caller }: Route, jsonLimit: number): number {
  return Math.min(maximum ?? (caller === 'app' ? Infinity : SMALL_BODY_BYTES), jsonLimit);
}
