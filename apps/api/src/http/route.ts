import type { Refusal } from '@back-office/kernel';
import type { TSchema } from '@sinclair/typebox';
import type { Request } from 'express';
import type { AppContext } from './app-context.js';
import type { Outcome } from './answer.js';
import type { ReceivedFile } from './multipart.js';
import type { BodyClass } from './validate-body.js';

/** Who may call: an app's own token, a session with a signed-in customer, any session, anybody. */
export type Caller = 'app' | 'customer' | 'session' | 'public';

export interface Call<Body = unknown> {
  readonly app: AppContext;
  /** The record of the token that the call came with. */
  readonly tokenId: number;
  /** The customer who is signed in to the session; 0, which no record has, without one. */
  readonly customerId: number;
  /** The `:id` of the path; 0, which no record has, when the path has none. */
  readonly id: number;
  /** All ids of the path by name. */
  readonly ids: Readonly<Record<string, number>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Body;
  /** What a form brought, until the call is answered. */
  readonly file: ReceivedFile | undefined;
  /** For what only HTTP knows, such as content negotiation. */
  readonly request: Request;
}

export interface QueryParameter {
  readonly schema: TSchema;
  readonly description: string;
  readonly required?: boolean;
}

export interface Route<Body extends object = object> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api/v2`; a record is named by `:id`, a part of it by an id of another name. */
  readonly path: string;
  readonly caller: Caller;
  /** True for calls that the interface presupposes but does not list. */
  readonly extension?: boolean;
  readonly summary: string;
  readonly body?: BodyClass<Body>;
  /** The body is a form, `multipart/form-data`, which may hold a file in its field `file`. */
  readonly upload?: boolean;
  /** The call may come without a body. */
  readonly bodyOptional?: boolean;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** Filter values that cannot be used are ignored instead of refused. */
  readonly ignoresUnusableFilters?: boolean;
  /** Successful answers by status; `null` for one without a body. */
  readonly answers: Readonly<Record<number, TSchema | null>>;
  /** The answer holds what must not be stored: the call ignores `Idempotency-Key`. */
  readonly answersSecret?: boolean;
  /** The media types of a successful answer, first the one of clients that take any; JSON unless said. */
  readonly media?: readonly string[];
  /** A body with values of wrong types is answered with each of them, see {@link WrongTypesShape}. */
  readonly namesWrongTypes?: boolean;
  /** Refusing answers, by status, that look different from those of all other calls; they may look like these too. */
  readonly failures?: Readonly<Record<number, TSchema>>;
  /** Message keys and texts that the rules behind this route may answer, for the API reference. */
  readonly refusals?: readonly string[];
  /** Message keys by which rows or entries may fail in an answer that is a success. */
  readonly failedRows?: readonly string[];
  /** The key of the 404 for a record that the call names and the app does not have; without one it has no body. */
  readonly missing?: string;
  /** The list of a record that is missing is empty: an id that no record can have comes as 0. */
  readonly emptyWhenMissing?: boolean;
  /**
   * Whether the record that the path names exists, or what stands against every such call on it; asked only before a
   * body that breaks rules is answered 422.
   */
  readonly record?: (app: AppContext, id: number, ids: Call['ids']) => Promise<boolean | Refusal>;
  readonly handle: (call: Call<Body>) => Promise<Outcome>;
}

/** Keeps the body's type while the route joins a list of routes of all kinds. */
export function route<Body extends object>(spec: Route<Body>): Route {
  return spec as unknown as Route;
}
