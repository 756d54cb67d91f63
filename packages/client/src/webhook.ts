import type { webhooks } from './schema.js';

type Webhook = webhooks[keyof webhooks]['post'];

/** An event as the service sends it; `type` determines the type of `data`. */
export type WebhookEvent = Webhook extends infer Each
  ? Each extends { requestBody: { content: { 'application/json': infer Event } } }
    ? Event
    : never
  : never;

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Maximum difference between the time of the request and `now`, in both directions. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Only for tests. Default: the present time. */
  readonly now?: Date;
}

/** The request does not come from the service, or is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const SECOND_MS = 1_000;
const PREFIX = 'whsec_';
const TIMESTAMP = /^\d{1,15}$/;

/**
 * Checks the signature and the time of a webhook, and returns its event. `body` must be the received body, not parsed
 * JSON. Throws a {@link WebhookError} if the signature is wrong or the time differs too much.
 */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (id === '' || signatures === '' || !TIMESTAMP.test(timestamp)) throw new WebhookError('A header is missing');
  if (Math.abs(now.getTime() / SECOND_MS - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError('The request is too old, or the clocks differ');
  const bytes = typeof body === 'string' ? encode(body) : new Uint8Array(body);
  const key = await importKey(secret);
  const signed = concat(encode(`${id}.${timestamp}.`), bytes);
  // After a rotation of the secret, a request has several signatures. One valid signature suffices.
  for (const signature of signatures.split(' ')) {
    const given = signature.startsWith('v1,') ? fromBase64(signature.slice('v1,'.length)) : undefined;
    if (given && (await crypto.subtle.verify('HMAC', key, given, signed)))
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
  }
  throw new WebhookError('The signature is wrong');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return [entry?.[1] ?? ''].flat().join(' ');
}

/** Returns a key for `verify` of WebCrypto, which compares in constant time. */
async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === undefined || bytes.length === 0) throw new TypeError('The secret is empty or not base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
