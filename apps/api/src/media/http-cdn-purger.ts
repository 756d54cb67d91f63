import type { CdnPurger } from '@back-office/media';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP } from 'node:net';

const TIMEOUT_MS = 5_000;
const AT_ONCE = 10;
const NOT_CACHED = 404;

/** The cache of an installation, if it has one: `CDN_PURGE_URL`. */
export function cdnPurgerOf(address: string | undefined): CdnPurger {
  return address === undefined ? new NoCdnPurger() : new HttpCdnPurger(address);
}

/**
 * A cache such as Varnish or nginx that forgets an address when it is asked to by `PURGE`. It is asked where it listens,
 * for the path of the public address, by the host of the public address: that is what caches know their copies by.
 */
export class HttpCdnPurger implements CdnPurger {
  readonly isConfigured = true;

  constructor(
    private readonly address: string,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  async purge(urls: readonly string[]): Promise<boolean> {
    const left = [...new Set(urls)];
    const answers: boolean[] = [];
    const work = async (): Promise<void> => {
      for (let url = left.shift(); url !== undefined; url = left.shift())
        answers.push(await this.forgets(new URL(url)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return answers.every(Boolean);
  }

  /** False for every other answer than that it has forgotten, or had nothing to forget; also for none. */
  private forgets({ host, pathname, search }: URL): Promise<boolean> {
    const target = new URL(this.address);
    target.pathname = target.pathname.replace(/\/+$/, '') + pathname;
    target.search = search;
    const send = target.protocol === 'https:' ? overHttps : overHttp;
    const options = {
      method: 'PURGE',
      headers: { host },
      signal: AbortSignal.timeout(this.timeoutMs),
      agent: false,
      // Node would look for a certificate of the public host otherwise.
      servername: isIP(target.hostname.replaceAll(/[[\]]/g, '')) === 0 ? target.hostname : '',
    };
    return new Promise((resolve) => {
      const asked = send(target, options, (answer) => {
        const { statusCode = 0 } = answer;
        answer.destroy();
        resolve((statusCode >= 200 && statusCode < 300) || statusCode === NOT_CACHED);
      });
      asked.on('error', () => resolve(false));
      asked.end();
    });
  }
}

/** An installation without caches in front of it. */
export class NoCdnPurger implements CdnPurger {
  readonly isConfigured = false;

  purge(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
