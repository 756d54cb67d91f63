import type { CdnPurger } from '@back-office/media';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP } from 'node:net';

const TIMEOUT_MS = 5_000;
const MAX_CONCURRENT = 10;
const NOT_CACHED = 404;

/** The address is that of `CDN_PURGE_URL`. */
export function createCdnPurger(address: string | undefined): CdnPurger {
  return address === undefined ? new NoCdnPurger() : new HttpCdnPurger(address);
}

/**
 * Purges a cache such as Varnish or nginx by `PURGE` requests. They go to the cache's own address with the public
 * path and `Host` header, by which caches identify their copies.
 */
export class HttpCdnPurger implements CdnPurger {
  readonly isConfigured = true;

  constructor(
    private readonly address: string,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  async purge(urls: readonly string[]): Promise<boolean> {
    const waiting = [...new Set(urls)];
    const answers: boolean[] = [];
    const work = async (): Promise<void> => {
      for (let url = waiting.shift(); url !== undefined; url = waiting.shift())
        answers.push(await this.purgeOne(new URL(url)));
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
    return answers.every(Boolean);
  }

  /** True for a 2xx or 404 answer; false for any other and for no answer. */
  private purgeOne({ host, pathname, search }: URL): Promise<boolean> {
    const target = new URL(this.address);
    target.pathname = target.pathname.replace(/\/+$/, '') + pathname;
    target.search = search;
    const send = target.protocol === 'https:' ? overHttps : overHttp;
    const options = {
      method: 'PURGE',
      headers: { host },
      signal: AbortSignal.timeout(this.timeoutMs),
      agent: false,
      // Without it, Node checks the certificate for the public host.
      servername: isIP(target.hostname.replaceAll(/[[\]]/g, '')) === 0 ? target.hostname : '',
    };
    return new Promise((resolve) => {
      const request = send(target, options, (answer) => {
        const { statusCode = 0 } = answer;
        answer.destroy();
        resolve((statusCode >= 200 && statusCode < 300) || statusCode === NOT_CACHED);
      });
      request.on('error', () => resolve(false));
      request.end();
    });
  }
}

export class NoCdnPurger implements CdnPurger {
  readonly isConfigured = false;

  purge(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
