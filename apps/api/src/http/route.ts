import type { Refusal } from '@back-office/kernel';
import type { TSchema } from '@sinclair/typebox';
import type { Request } from 'express';
import type { AppContext } from '@back-office/apps';
import type { Outcome } from './answer.js';
import type { ReceivedFile } from './multipart.js';
import type { BodyClass } from './validate-body.js';

/** Who may call: an app's token, a customer's session, any session, everyone. */
export type Caller = 'app' | 'customer' | 'session' | 'public';

export interface Call<Body = unknown> {
  readonly app: AppContext;
  /** Id of the token of the call. */
  readonly tokenId: number;
  /** The signed-in customer, or 0. */
  readonly customerId: number;
  /** The `:id` of the path, or 0. */
  readonly id: number;
  /** All ids of the path by name. */
  readonly ids: Readonly<Record<string, number>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Body;
  /** The uploaded file, until the call is answered. */
  readonly file: ReceivedFile | undefined;
  /** For HTTP concerns such as content negotiation. */
  readonly request: Request;
}

export interface QueryParameter {
  readonly schema: TSchema;
  readonly description: string;
  readonly required?: boolean;
}

export interface Route<Body extends object = object> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api/v2`. The record is `:id`; its parts have ids of other names. */
  readonly path: string;
  readonly caller: Caller;
  /** True for calls beyond the agreed interface. */
  readonly extension?: boolean;
  readonly summary: string;
  readonly body?: BodyClass<Body>;
  /** The body is `multipart/form-data` with an optional field `file`. */
  readonly upload?: boolean;
  /** The call may come without a body. */
  readonly bodyOptional?: boolean;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** Ignores invalid filter values instead of refusing them. */
  readonly ignoresUnusableFilters?: boolean;
  /** Successful answers by status; `null` for one without a body. */
  readonly answers: Readonly<Record<number, TSchema | null>>;
  /** The answer holds a secret that must not be stored: `Idempotency-Key` is ignored. */
  readonly answersSecret?: boolean;
  /** Media types of a successful answer, the default first. Default: JSON. */
  readonly media?: readonly string[];
  /** Answers every value of a wrong type, see {@link WrongTypesShape}. */
  readonly namesWrongTypes?: boolean;
  /** Additional shapes of refusals, by status. */
  readonly failures?: Readonly<Record<number, TSchema>>;
  /** Message keys and texts of refusals, for the API reference. */
  readonly refusals?: readonly string[];
  /** Message keys of failed rows in a successful answer. */
  readonly failedRows?: readonly string[];
  /** Message key of the 404 for a missing record; without one the 404 has no body. */
  readonly missing?: string;
  /** A missing record has an empty list instead of a 404. */
  readonly emptyWhenMissing?: boolean;
  /**
   * Whether the record of the path exists, or the refusal of every such call on it. Called only before an invalid body
   * is answered 422.
   */
  readonly precheck?: (app: AppContext, id: number, ids: Call['ids']) => Promise<boolean | Refusal>;
  readonly handle: (call: Call<Body>) => Promise<Outcome>;
}

/** Keeps the type of the body when the route joins the table. */
export function route<Body extends object>(spec: Route<Body>): Route {
  return spec as unknown as Route;
}
