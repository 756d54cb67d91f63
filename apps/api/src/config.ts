import { trimEndCharacters } from '@back-office/kernel';
import { bool, cleanEnv, EnvMissingError, str } from 'envalid';
import {
  headerText,
  hostName,
  httpUrl,
  InvalidConfig,
  networks,
  origins,
  postgresUrl,
  processCount,
  proxies,
  rate,
  redisUrl,
  size,
  wholeBetween,
} from './config-values.js';
import { storageOf, type StorageConfig } from './config-storage.js';
import { findMisspellings, type Misspelling } from './config-misspellings.js';

export { InvalidConfig } from './config-values.js';
export type { S3Config, StorageConfig } from './config-storage.js';

export interface Config {
  readonly port: number;
  /** Address that the API listens on; `undefined` means all. */
  readonly host: string | undefined;
  /** Port for health, metrics and the API reference; `undefined` serves them on the port of the API. */
  readonly adminPort: number | undefined;
  /** Address that `adminPort` and `workerPort` listen on; `undefined` means all. */
  readonly adminHost: string | undefined;
  readonly docs: boolean;
  readonly dataDir: string;
  /** `postgres`, `memory`, or a module that provides a database. */
  readonly database: string;
  /** URL of an external PostgreSQL; `undefined` starts an embedded PostgreSQL. */
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize: number;
  /** Whether to start on a database that a newer release has migrated. */
  readonly allowsNewerDatabase: boolean;
  /** Whether `NODE_ENV` is `production`. */
  readonly isProduction: boolean;
  readonly demo: boolean;
  readonly worker: boolean;
  /** Number of API processes; `auto` starts one for each core. */
  readonly processes: number | 'auto';
  /** Port for health and metrics of a worker without an API; `undefined` serves none. */
  readonly workerPort: number | undefined;
  readonly jsonLimit: number;
  readonly uploadLimit: number;
  readonly imagePixelLimit: number;
  /** Prefix of the URLs of public files. */
  readonly publicUrl: string;
  readonly storage: StorageConfig;
  /** `sharp`, `jimp`, or a module that provides an image processor. */
  readonly images: string;
  /** `pdfium`, or a module that provides a page renderer. */
  readonly pages: string;
  /** `mediainfo`, or a module that reads the dimensions of videos. */
  readonly facts: string;
  /** `http`, or a module that purges a CDN. */
  readonly purger: string;
  /** URL that receives purge requests; `undefined` sends none. */
  readonly cdnPurgeUrl: string | undefined;
  readonly corsOrigins: readonly string[];
  /** Trusted proxies: a number of hops, or addresses. */
  readonly trustProxy: number | readonly string[] | false;
  /** Maximum number of calls in a time window; `undefined` means unlimited. */
  readonly rateLimits: RateLimitConfig | undefined;
  readonly refunds: RefundConfig;
  /** Private networks that webhooks may reach, such as `10.1.0.0/16`. */
  readonly webhookNetworks: readonly string[];
  readonly refundToken: string | undefined;
  readonly logLevel: string;
  readonly logFormat: 'json' | 'pretty';
  /** All environment variables, because each adapter reads its own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Rate {
  readonly calls: number;
  readonly seconds: number;
}

export interface RateLimitConfig {
  readonly perToken: Rate;
  /** Limit per IP address, for callers without a valid token. */
  readonly perAddress: Rate;
  /** URL of a Redis server with one count for all processes; `undefined` makes each process count its own calls. */
  readonly store: string | undefined;
}

/** A refund is paid out by a person, by a payment service over HTTP, or by a module. */
export type RefundConfig =
  | { readonly kind: 'by-hand' }
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'module'; readonly module: string };

type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLES = {
  NODE_ENV: str({ default: undefined }),
  PORT: wholeBetween(0, 65_535, 3_000),
  HOST: hostName({ default: undefined }),
  ADMIN_PORT: wholeBetween(0, 65_535, undefined),
  ADMIN_HOST: hostName({ default: undefined }),
  DOCS: str({ choices: ['on', 'off'], default: 'on' }),
  DATA_DIR: str({ default: '.data' }),
  DATABASE_URL: postgresUrl({ default: undefined }),
  DATABASE: str({ default: 'postgres' }),
  DATABASE_POOL_SIZE: wholeBetween(1, 1_000, 10),
  ALLOW_NEWER_DATABASE: bool({ default: false }),
  DEMO: bool({ default: undefined }),
  WORKER: str({ choices: ['inline', 'off'], default: 'inline' }),
  PROCESSES: processCount({ default: 1 }),
  WORKER_PORT: wholeBetween(0, 65_535, undefined),
  JSON_LIMIT: size({ default: 10 * 1024 ** 2 }),
  UPLOAD_LIMIT: size({ default: 100 * 1024 ** 2 }),
  IMAGE_PIXEL_LIMIT: wholeBetween(1, 999_999_999, 100_000_000),
  PUBLIC_URL: httpUrl({ default: undefined }),
  STORAGE: str({ default: 'disk' }),
  S3_ENDPOINT: httpUrl({ default: undefined }),
  S3_REGION: str({ default: 'us-east-1' }),
  S3_BUCKET: str({ default: undefined }),
  S3_ACCESS_KEY_ID: str({ default: undefined }),
  S3_SECRET_ACCESS_KEY: str({ default: undefined }),
  S3_PUBLIC_URL: httpUrl({ default: undefined }),
  IMAGES: str({ default: 'sharp' }),
  PAGES: str({ default: 'pdfium' }),
  FACTS: str({ default: 'mediainfo' }),
  PURGER: str({ default: 'http' }),
  CDN_PURGE_URL: httpUrl({ default: undefined }),
  CORS_ORIGINS: origins({ default: [] }),
  TRUST_PROXY: proxies({ default: false }),
  RATE_LIMIT: rate({ default: { calls: 300_000, seconds: 60 } }),
  RATE_LIMIT_PER_ADDRESS: rate({ default: { calls: 6_000, seconds: 60 } }),
  RATE_LIMIT_STORE: redisUrl({ default: undefined }),
  REFUNDS: str({ default: undefined }),
  REFUND_URL: httpUrl({ default: undefined }),
  REFUND_TOKEN: headerText({ default: undefined }),
  WEBHOOK_NETWORKS: networks({ default: [] }),
  LOG_LEVEL: str({ choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], default: 'info' }),
  LOG_FORMAT: str({ choices: ['json', 'pretty'], default: 'json' }),
};

/** Finds variables of the environment whose names are almost those of known variables. */
export function findMisspelledVariables(environment: Environment = process.env): Misspelling[] {
  return findMisspellings(environment, Object.keys(VARIABLES));
}

/**
 * Reads the configuration from the environment. Throws {@link InvalidConfig} with a one-line message that names the
 * invalid variable.
 */
export function readConfig(environment: Environment = process.env): Config {
  const parsed = parseVariables(environment);
  return {
    port: parsed.PORT,
    host: parsed.HOST,
    adminPort: parsed.ADMIN_PORT,
    adminHost: parsed.ADMIN_HOST ?? parsed.HOST,
    docs: parsed.DOCS === 'on',
    dataDir: parsed.DATA_DIR,
    database: parsed.DATABASE,
    databaseUrl: parsed.DATABASE_URL,
    databasePoolSize: parsed.DATABASE_POOL_SIZE,
    allowsNewerDatabase: parsed.ALLOW_NEWER_DATABASE,
    isProduction: parsed.NODE_ENV === 'production',
    demo: parsed.DEMO ?? hasDemoByDefault(parsed),
    worker: parsed.WORKER === 'inline',
    processes: parsed.PROCESSES,
    workerPort: parsed.WORKER_PORT,
    jsonLimit: parsed.JSON_LIMIT,
    uploadLimit: parsed.UPLOAD_LIMIT,
    imagePixelLimit: parsed.IMAGE_PIXEL_LIMIT,
    publicUrl: trimEndCharacters(parsed.PUBLIC_URL ?? `http://localhost:${parsed.PORT}`, '/'),
    storage: storageOf(parsed),
    images: parsed.IMAGES,
    pages: parsed.PAGES,
    facts: parsed.FACTS,
    purger: parsed.PURGER,
    cdnPurgeUrl: parsed.CDN_PURGE_URL,
    corsOrigins: parsed.CORS_ORIGINS,
    trustProxy: parsed.TRUST_PROXY,
    rateLimits: rateLimitsOf(parsed),
    refunds: refundsOf(parsed),
    refundToken: parsed.REFUND_TOKEN,
    webhookNetworks: parsed.WEBHOOK_NETWORKS,
    logLevel: parsed.LOG_LEVEL,
    logFormat: parsed.LOG_FORMAT,
    environment,
  };
}

function parseVariables(environment: Environment) {
  const nonEmptyVariables = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  return cleanEnv(nonEmptyVariables, VARIABLES, {
    reporter: ({ errors }) => throwInvalidConfig(errors),
  });
}

/** A sandbox gets a demo app, and so does an embedded database that is not for production. */
function hasDemoByDefault({ DATABASE, DATABASE_URL, NODE_ENV }: ReturnType<typeof parseVariables>): boolean {
  return DATABASE === 'memory' || (DATABASE_URL === undefined && NODE_ENV !== 'production');
}

function rateLimitsOf(variables: {
  readonly RATE_LIMIT: Rate | 'off';
  readonly RATE_LIMIT_PER_ADDRESS: Rate | 'off';
  readonly RATE_LIMIT_STORE: string | undefined;
}): RateLimitConfig | undefined {
  const { RATE_LIMIT: perToken, RATE_LIMIT_PER_ADDRESS: perAddress, RATE_LIMIT_STORE: store } = variables;
  if (perToken === 'off') return undefined;
  if (perAddress === 'off')
    throw new InvalidConfig('Bad configuration: RATE_LIMIT_PER_ADDRESS: only RATE_LIMIT can be off');
  return { perToken, perAddress, store };
}

function refundsOf(variables: {
  readonly REFUNDS: string | undefined;
  readonly REFUND_URL: string | undefined;
}): RefundConfig {
  const { REFUNDS: refunds, REFUND_URL: url } = variables;
  if (refunds === 'by-hand' || (refunds === undefined && url === undefined)) return { kind: 'by-hand' };
  if (refunds !== undefined && refunds !== 'http') return { kind: 'module', module: refunds };
  if (url === undefined) throw new InvalidConfig('Bad configuration: REFUND_URL: is missing');
  return { kind: 'http', url };
}

function throwInvalidConfig(errors: Readonly<Record<string, Error | undefined>>): void {
  const [firstError] = Object.entries(errors);
  if (!firstError) return;
  const [name, error] = firstError;
  const reason = error instanceof EnvMissingError ? 'is missing' : (error?.message ?? 'is invalid').split('\n')[0];
  throw new InvalidConfig(`Bad configuration: ${name}: ${reason}`);
}
