import {
  ALREADY_TAKEN,
  CANT_BE_BLANK,
  IS_INVALID,
  IS_TOO_LONG,
  MUST_BE_POSITIVE,
  type Refusal,
} from '@back-office/kernel';
import type { Speech } from '@back-office/apps';
import { DEBT_ALREADY_PAID, EXCEEDS_DEBT, insufficientStock } from '@back-office/proforma';

/** One reason of a failure, as listed in `application/problem+json`. */
export interface Problem {
  readonly key: string;
  readonly message: string;
  /** JSON pointer into the body; by default derived from `row` and `field`. */
  readonly pointer?: string;
  /** Path in the form of field errors, such as `items.0.qty`. */
  readonly field?: string;
  /** Index of the row in a bulk call. */
  readonly row?: number;
  /** Field of the body that contains the rows. */
  readonly rowsField?: string;
  /** Codes and ids with which the row identifies its record. */
  readonly identifiers?: Readonly<Record<string, unknown>>;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Message keys of failures for which a plain JSON answer has only a status. */
export const REQUEST_PROBLEMS = {
  'Request.BadRequest': 'The request cannot be read',
  'Request.Erased': 'The stored answer showed an erased customer',
  'Request.Failed': 'The service failed; retry after a pause that grows',
  'Request.InvalidForm': 'The body is not a valid multipart form',
  'Request.InvalidHeader': 'A header is invalid',
  'Request.InvalidJson': 'The body is not valid JSON in UTF-8',
  'Request.InvalidParameter': 'A query parameter is invalid',
  'Request.MissingField': 'A required part of the body is missing',
  'Request.NotAcceptable': 'The Accept header rules out every format of the answer',
  'Request.NotFound': 'The app has no such record, or the service has no such path',
  'Request.PreconditionFailed': 'The record has changed: its ETag is not the one of If-Match',
  'Request.PreconditionUnsupported': 'The call changes no single record, so it takes no If-Match',
  'Request.Timeout': 'The body arrived too slowly',
  'Request.TooLarge': 'The body is too large, or has too many rows; split the batch',
  'Request.TooManyCalls': 'Too many calls; wait for the seconds of Retry-After',
  'Request.Unavailable': 'The service is busy or shutting down; wait for the seconds of Retry-After',
  'Request.UnknownField': 'The body has a field that the call does not know',
  'Request.UnknownParameter': 'The call does not know this query parameter',
  'Request.WrongType': 'A value has the wrong JSON type',
} as const;
export type RequestProblemKey = keyof typeof REQUEST_PROBLEMS;

const KEY_BY_STATUS: Readonly<Record<number, RequestProblemKey>> = {
  404: 'Request.NotFound',
  406: 'Request.NotAcceptable',
  408: 'Request.Timeout',
  410: 'Request.Erased',
  412: 'Request.PreconditionFailed',
  413: 'Request.TooLarge',
  429: 'Request.TooManyCalls',
  503: 'Request.Unavailable',
};

export function problemOfStatus(status: number): Problem {
  return requestProblem(KEY_BY_STATUS[status] ?? (status < 500 ? 'Request.BadRequest' : 'Request.Failed'));
}

export function requestProblem(key: RequestProblemKey, place: Omit<Problem, 'key' | 'message'> = {}): Problem {
  return { key, message: REQUEST_PROBLEMS[key], ...place };
}

export const IS_UNKNOWN = 'is unknown';

/** Message keys of failures for which a plain JSON answer has only a fixed text. */
export const TEXT_KEYS: Readonly<Record<string, string>> = {
  [CANT_BE_BLANK]: 'Fields.CantBeBlank',
  [IS_INVALID]: 'Fields.IsInvalid',
  [IS_TOO_LONG]: 'Fields.IsTooLong',
  [MUST_BE_POSITIVE]: 'Fields.MustBePositive',
  [ALREADY_TAKEN]: 'Fields.AlreadyTaken',
  [DEBT_ALREADY_PAID.refused]: 'API.Payments.DebtAlreadyPaid',
  [EXCEEDS_DEBT.refused]: 'API.Payments.ExceedsDebt',
  [ruleOf(insufficientStock('').refused)]: 'API.ProformaOrders.InsufficientStock',
};

/** Removes the name of the record after the colon. */
function ruleOf(text: string): string {
  return text.replace(/: .*/s, '');
}

function keyOf(message: string): string {
  return TEXT_KEYS[ruleOf(message)] ?? message;
}

export function fieldProblem(field: string, message: string, speech: Speech): Problem {
  return { key: keyOf(message), message: speech.say(message), field };
}

export function refusalProblem({ refused, field, values, details }: Refusal, speech: Speech): Problem {
  return {
    key: keyOf(refused),
    message: speech.say(refused),
    ...(field !== undefined && { field }),
    ...((values ?? details) && { details: { ...values, ...details } }),
  };
}
