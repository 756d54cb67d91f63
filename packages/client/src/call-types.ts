import type { HttpMethod, PathsWithMethod } from 'openapi-typescript-helpers';
import type { LISTS } from './calls.js';
import type { paths } from './schema.js';
import type { Progress, UploadFile } from './upload.js';

export type Method = Extract<HttpMethod, 'get' | 'post' | 'put' | 'patch' | 'delete'>;

/** Paths that have a call with this method. */
export type CallPath<M extends Method> = PathsWithMethod<paths, M> & keyof paths;

export type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;

/** Paths of paged lists. */
export type ListPath = keyof typeof LISTS & CallPath<'get'>;

type FormOf<O> = O extends { requestBody: { content: { 'multipart/form-data': infer Form } } } ? Form : never;

/** Paths that take a file. */
export type UploadPath = {
  [P in CallPath<'post'>]: [FormOf<Operation<P, 'post'>>] extends [never] ? never : P;
}[CallPath<'post'>];

export interface CommonOptions {
  /** Identifies the call, so that a repeated call has no second effect. Default: a random key for each call. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cancels the call, even between two attempts. */
  readonly signal?: AbortSignal;
  /** Timeout of one attempt of this call, in milliseconds. */
  readonly timeoutMs?: number;
  /** Called with the last response, for example to read its headers. Its body has already been read. */
  readonly onResponse?: (response: Response) => void;
}

type ParametersOf<O> = O extends { parameters: infer All } ? Pick<All, Extract<keyof All, 'path' | 'query'>> : unknown;

type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { readonly body: Body }
  : O extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { readonly body?: Body }
    : { readonly body?: never };

/** Path and query parameters and the body of a call. */
export type CallOptions<O> = ParametersOf<O> & BodyOf<O> & CommonOptions;

export type UploadOptions<O> = ParametersOf<O> &
  CommonOptions & {
    readonly body: Omit<FormOf<O>, 'file'> & { readonly file: UploadFile };
    /** Default: the name of the `File`. */
    readonly fileName?: string;
    readonly onProgress?: (progress: Progress) => void;
  };

/** The options can be omitted if none is required. */
export type Optional<Options> = object extends Options ? [options?: Options] : [options: Options];

type ContentOf<Answer> = Answer extends { content: { 'application/json': infer Body } }
  ? Body
  : Answer extends { content: Record<string, unknown> }
    ? Blob
    : undefined;

type SuccessStatus = 200 | 201 | 202 | 204;

/** What a successful call returns: JSON, a `Blob` for other content, or `undefined` for no content. */
export type ResponseBody<O> = O extends { responses: infer Answers }
  ? { [Status in Extract<keyof Answers, SuccessStatus>]: ContentOf<Answers[Status]> }[Extract<
      keyof Answers,
      SuccessStatus
    >]
  : never;

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;

type RowIn<Data, P extends ListPath> = (typeof LISTS)[P] extends { rows: infer Name extends string }
  ? Data extends Record<Name, infer List>
    ? ItemOf<List>
    : never
  : ItemOf<Data>;

/** A row of a list. */
export type Row<P extends ListPath> =
  ResponseBody<Operation<P, 'get'>> extends { data: infer Data } ? RowIn<Data, P> : never;
