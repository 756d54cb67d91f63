import { makeValidator } from 'envalid';
import { isIP } from 'node:net';

export class InvalidConfig extends Error {}

const UNITS: Readonly<Record<string, number>> = { '': 1, kb: 1024, mb: 1024 ** 2 };

/** Parses a size in bytes or with a unit, such as `10mb` or `512kb`. */
export const size = makeValidator<number>((text) => {
  const [, digits, unit] = /^(\d{1,12})\s*(kb|mb)?$/i.exec(text) ?? [];
  const bytes = Number(digits) * (UNITS[(unit ?? '').toLowerCase()] ?? NaN);
  if (!(bytes > 0)) throw new Error('a size such as 10mb was expected');
  return bytes;
});

export const wholeBetween = <Default extends number | undefined>(low: number, high: number, defaultValue: Default) =>
  makeValidator<number | Default>((text) => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < low || Number(text) > high) {
      throw new Error(`a whole number from ${low} to ${high} was expected`);
    }
    return Number(text);
  })({ default: defaultValue });

const MAX_PROCESSES = 64;

/** Parses a number of processes, or `auto` for one on each core. */
export const processCount = makeValidator<number | 'auto'>((text) => {
  if (text === 'auto') return text;
  if (!/^\d{1,2}$/.test(text) || Number(text) < 1 || Number(text) > MAX_PROCESSES)
    throw new Error(`auto or a whole number from 1 to ${MAX_PROCESSES} was expected`);
  return Number(text);
});

export const postgresUrl = makeValidator<string>((text) => {
  if (!/^postgres(ql)?:\/\/\S+$/.test(text)) throw new Error('a postgres:// URL was expected');
  return text;
});

export const httpUrl = makeValidator<string>((text) => {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new Error('an http:// or https:// URL was expected');
  return text;
});

/** An IP address or a name without a port. */
export const hostName = makeValidator<string>((text) => {
  if (isIP(text) === 0 && !/^[\da-z.-]{1,253}$/i.test(text))
    throw new Error('an IP address or a host name was expected');
  return text;
});

export const headerText = makeValidator<string>((text) => {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new Error('printable ASCII without spaces was expected');
  return text;
});

export const origins = makeValidator<string[]>((text) =>
  text.split(',').map((entry) => {
    const origin = entry.trim();
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) throw new Error(`${origin} is not an origin`);
    return origin;
  }),
);

const PROXY_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];
const MAX_PROXIES = 10;

/** Parses a number of proxies, or their addresses and networks such as `10.0.0.0/8`. */
export const proxies = makeValidator<number | readonly string[] | false>((text) => {
  if (/^\d{1,2}$/.test(text) && Number(text) <= MAX_PROXIES) return Number(text) === 0 ? false : Number(text);
  const entries = text.split(',').map((entry) => entry.trim());
  if (!entries.every((entry) => PROXY_NETWORKS.includes(entry) || isNetwork(entry))) {
    throw new Error(`up to ${MAX_PROXIES} proxies, or their addresses and networks, were expected`);
  }
  return entries;
});

/** Parses addresses and networks such as `10.0.0.0/8`. */
export const networks = makeValidator<readonly string[]>((text) => {
  const entries = text.split(',').map((entry) => entry.trim());
  if (!entries.every(isNetwork)) throw new Error('addresses and networks such as 10.0.0.0/8 were expected');
  return entries;
});

function isNetwork(text: string): boolean {
  const [address = '', bits, ...others] = text.split('/');
  const version = isIP(address);
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
  return version !== 0 && isPrefix && others.length === 0;
}

const MAX_WINDOW_SECONDS = 86_400;

export const redisUrl = makeValidator<string>((text) => {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) throw new Error('a redis:// or rediss:// URL was expected');
  return text;
});

/** Parses calls per minute, or per a number of seconds, such as `600` or `50/1`; `off` is unlimited. */
export const rate = makeValidator<{ calls: number; seconds: number } | 'off'>((text) => {
  if (text === 'off') return text;
  const [, calls, seconds = '60'] = /^(\d{1,9})(?:\/(\d{1,5}))?$/.exec(text) ?? [];
  const limit = { calls: Number(calls), seconds: Number(seconds) };
  if (!(limit.calls > 0 && limit.seconds > 0 && limit.seconds <= MAX_WINDOW_SECONDS)) {
    throw new Error(`calls a minute, or <calls>/<seconds> with up to ${MAX_WINDOW_SECONDS} seconds, were expected`);
  }
  return limit;
});
