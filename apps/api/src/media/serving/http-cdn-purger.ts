import { trimEndCharacters } from '@back-office/kernel';
import type { CdnPurger } from '@back-office/media';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';

const TIMEOUT_MS = 5_000;
const MAX_CONCURRENT = 10;
const NOT_CACHED_STATUS = 404;

export function createCdnPurger(purgeUrl: string | undefined): CdnPurger {
  return purgeUrl === undefined ? new NoCdnPurger() : new HttpCdnPurger(purgeUrl);
}

/**
 * Purges a cache such as Varnish or nginx with `PURGE` requests to its internal address. Each request has the public
 * path and `Host`, because caches identify copies by path and host.
 */
export class HttpCdnPurger implements CdnPurger {
  readonly isConfigured = true;

  constructor(
    private readonly address: string,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  async purge(urls: readonly string[]): Promise<boolean> {
    const pendingUrls = [...new Set(urls)];
    const results: boolean[] = [];
    const purgePending = async (): Promise<void> => {
      for (let url = pendingUrls.shift(); url !== undefined; url = pendingUrls.shift())
        results.push(await this.purgeUrl(new URL(url)));
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, purgePending));
    return results.every(Boolean);
  }

  private purgeUrl({ host, pathname, search }: URL): Promise<boolean> {
    const target = new URL(this.address);
    target.pathname = trimEndCharacters(target.pathname, '/') + pathname;
    target.search = search;
    const send = target.protocol === 'https:' ? requestHttps : requestHttp;
    const options = {
      method: 'PURGE',
      headers: { host },
      signal: AbortSignal.timeout(this.timeoutMs),
      agent: false,
      // Without `servername`, Node would compare the certificate with the public host name.
      servername: isIP(target.hostname.replaceAll(/[[\]]/g, '')) === 0 ? target.hostname : '',
    };
    return new Promise((resolve) => {
      const request = send(target, options, (response) => {
        const { statusCode = 0 } = response;
        response.destroy();
        resolve((statusCode >= 200 && statusCode < 300) || statusCode === NOT_CACHED_STATUS);
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
