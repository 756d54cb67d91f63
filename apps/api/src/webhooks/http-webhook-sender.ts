import type { WebhookAnswer, WebhookRequest, WebhookSender } from '@back-office/events';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { parseRetryAfter } from './retry-after.js';
import type { Targets } from './targets.js';

const TIMEOUT_MS = 15_000;
/** Shorter than the timeout of the status, because the status alone decides whether the webhook is delivered. */
const BODY_TIMEOUT_MS = 2_000;
const MAX_TEXT_BYTES = 1_024;
/** Maximum time for which the resolved addresses of a host are reused. */
const MAX_ADDRESS_AGE_MS = 5_000;

/** The parser of URLs drops or replaces these, so the stored URL would differ from the called one. */
const UNCLEAR_CHARACTERS = /[\s\\\p{Cc}]/u;

class ReusedConnection extends Error {}

export interface SenderOptions {
  readonly timeoutMs?: number;
  readonly bodyTimeoutMs?: number;
}

/** Sends webhooks over HTTP and keeps the connections open. */
export class HttpWebhookSender implements WebhookSender {
  private readonly agents: { readonly http: http.Agent; readonly https: https.Agent };

  constructor(
    private readonly targets: Targets,
    private readonly now: () => Date,
    private readonly options: SenderOptions = {},
  ) {
    const addresses = new HostAddresses();
    this.agents = {
      http: new http.Agent({ keepAlive: true, lookup: checkedLookup(addresses, targets, true) }),
      https: new https.Agent({ keepAlive: true, lookup: checkedLookup(addresses, targets, false) }),
    };
  }

  accepts(url: string): boolean {
    return !UNCLEAR_CHARACTERS.test(url) && this.targets.allowsUrl(url);
  }

  async send(request: WebhookRequest): Promise<WebhookAnswer> {
    if (!this.targets.allowsUrl(request.url)) return { error: 'forbidden_target' };
    const signal = AbortSignal.timeout(this.options.timeoutMs ?? TIMEOUT_MS);
    try {
      return await this.post(request, signal).catch((error: unknown) => {
        // The receiver has closed an idle connection, so the request is sent again on a new one.
        if (error instanceof ReusedConnection) return this.post(request, signal);
        throw error;
      });
    } catch {
      // A forbidden target must look like an unreachable one. Otherwise a caller could find names of the inner network.
      return { error: signal.aborted ? 'timeout' : 'connection_failed' };
    }
  }

  private post({ url, headers, body }: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer> {
    const target = new URL(url);
    const isSecure = target.protocol === 'https:';
    const bytes = Buffer.from(body);
    return new Promise((resolve, reject) => {
      const request = (isSecure ? https : http).request(target, {
        method: 'POST',
        agent: isSecure ? this.agents.https : this.agents.http,
        headers: { ...headers, 'Content-Length': bytes.length },
        signal,
      });
      request.on('error', (error: NodeJS.ErrnoException) =>
        reject(request.reusedSocket && error.code === 'ECONNRESET' ? new ReusedConnection() : error),
      );
      // When the receiver switches protocols, Node ends the request without an error, so the socket is closed here.
      request.on('upgrade', (_response, socket) => socket.destroy());
      request.on('close', () => !isAnswered && reject(new Error('The connection was closed')));
      let isAnswered = false;
      request.on('response', (response) => {
        isAnswered = true;
        void this.readAnswer(response).then((answer) => {
          resolve(answer);
          // Closes the connection, because an unread rest of the body would keep it busy.
          if (!response.complete) request.destroy();
        });
      });
      request.end(bytes);
    });
  }

  private async readAnswer(response: IncomingMessage): Promise<WebhookAnswer> {
    const { statusCode: status = 0, headers } = response;
    const text = await readStart(response, this.options.bodyTimeoutMs ?? BODY_TIMEOUT_MS);
    return { status, retryAfterSeconds: parseRetryAfter(headers['retry-after'], this.now()), text };
  }
}

/** Never resolves a host twice at the same time, so that a slow name server blocks at most one thread. */
class HostAddresses {
  private readonly found = new Map<string, Promise<readonly LookupAddress[]>>();

  find(hostname: string): Promise<readonly LookupAddress[]> {
    const known = this.found.get(hostname);
    if (known) return known;
    const addresses = lookup(hostname, { all: true });
    this.found.set(hostname, addresses);
    const forget = (): void => void setTimeout(() => this.found.delete(hostname), MAX_ADDRESS_AGE_MS).unref();
    addresses.then(forget, forget);
    return addresses;
  }
}

function checkedLookup(addresses: HostAddresses, targets: Targets, isPlain: boolean): LookupFunction {
  const findAllowed = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const found = await addresses.find(hostname);
    // A single forbidden address is enough to refuse the host, because an attacker may switch a name between addresses.
    if (found.some(({ address }) => !targets.allowsAddress(address, isPlain)))
      throw new Error('The host has a forbidden address');
    return found;
  };
  return (hostname, options, callback) => {
    findAllowed(hostname).then(
      (found) => {
        const [first] = found as readonly [LookupAddress];
        if (options.all) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, ''),
    );
  };
}

/** Returns the first kilobyte of the body, or the part that arrives before the timeout. Never rejects. */
function readStart(response: IncomingMessage, timeoutMs: number): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (): void => {
      clearTimeout(timer);
      resolve(toText(Buffer.concat(chunks).subarray(0, MAX_TEXT_BYTES)));
    };
    const timer = setTimeout(end, timeoutMs);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_TEXT_BYTES) end();
    });
    response.on('end', end).on('error', end).on('close', end);
  });
}

/** Replaces null characters, which PostgreSQL cannot store. */
function toText(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '\uFFFD');
}
