import { InvalidConfig, readConfig, type RateLimitConfig } from './config.js';

const RATE_LIMITS: RateLimitConfig = {
  perToken: { calls: 300_000, seconds: 60 },
  perAddress: { calls: 6_000, seconds: 60 },
  store: undefined,
};
const rateLimitsWith = (changes: Partial<RateLimitConfig>) => ({ rateLimits: { ...RATE_LIMITS, ...changes } });

describe('an empty environment', () => {
  it('selects port 3000, an embedded database, a demo app and an inline worker', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      dataDir: '.data',
      databaseUrl: undefined,
      databasePoolSize: 10,
      demo: true,
      worker: true,
      jsonLimit: 10 * 1024 * 1024,
      uploadLimit: 100 * 1024 * 1024,
      imagePixelLimit: 100_000_000,
      publicUrl: 'http://localhost:3000',
      storage: { kind: 'disk' },
      images: 'sharp',
      cdnPurgeUrl: undefined,
      corsOrigins: [],
      rateLimits: RATE_LIMITS,
      logLevel: 'info',
      logFormat: 'json',
    });
  });
});

describe('an external database', () => {
  const databaseUrl = 'postgres://shop@db.example/shop';

  it.each([
    ['gets no demo app', {}, false],
    ['gets a demo app with DEMO=1', { DEMO: '1' }, true],
    ['is ignored with DATABASE=memory, which gets a demo app', { DATABASE: 'memory' }, true],
  ])('%s', (_, environment, demo) => {
    expect(readConfig({ DATABASE_URL: databaseUrl, ...environment })).toMatchObject({ databaseUrl, demo });
  });
});

describe('NODE_ENV=production', () => {
  it.each([
    ['gets no demo app in an embedded database', {}, false],
    ['gets a demo app with DEMO=1', { DEMO: '1' }, true],
    ['gets a demo app in a sandbox, which loses its records', { DATABASE: 'memory' }, true],
    ['gets no demo app in the database of a module', { DATABASE: './database.mjs' }, false],
  ])('%s', (_, environment, demo) => {
    expect(readConfig({ NODE_ENV: 'production', ...environment })).toMatchObject({ isProduction: true, demo });
  });
});

describe('a valid variable', () => {
  it.each([
    ['JSON_LIMIT', '512kb', { jsonLimit: 524_288 }],
    ['JSON_LIMIT', '20 MB', { jsonLimit: 20_971_520 }],
    ['JSON_LIMIT', '1000', { jsonLimit: 1000 }],
    [
      'CORS_ORIGINS',
      'https://a.example, https://b.example:8443',
      { corsOrigins: ['https://a.example', 'https://b.example:8443'] },
    ],
    ['RATE_LIMIT', '600', rateLimitsWith({ perToken: { calls: 600, seconds: 60 } })],
    ['RATE_LIMIT', '50/1', rateLimitsWith({ perToken: { calls: 50, seconds: 1 } })],
    ['RATE_LIMIT', '1000000/86400', rateLimitsWith({ perToken: { calls: 1_000_000, seconds: 86_400 } })],
    ['RATE_LIMIT', 'off', { rateLimits: undefined }],
    ['RATE_LIMIT_PER_ADDRESS', '10/1', rateLimitsWith({ perAddress: { calls: 10, seconds: 1 } })],
    ['RATE_LIMIT_STORE', 'redis://localhost:6379/1', rateLimitsWith({ store: 'redis://localhost:6379/1' })],
    ['TRUST_PROXY', '2', { trustProxy: 2 }],
    ['TRUST_PROXY', '0', { trustProxy: false }],
    ['TRUST_PROXY', 'loopback, 10.0.0.0/8,::1', { trustProxy: ['loopback', '10.0.0.0/8', '::1'] }],
    ['REFUND_URL', 'https://pay.example/refunds', { refunds: { kind: 'http', url: 'https://pay.example/refunds' } }],
    ['REFUND_URL', '', { refunds: { kind: 'by-hand' } }],
    ['REFUNDS', 'by-hand', { refunds: { kind: 'by-hand' } }],
    ['REFUNDS', './refunds.mjs', { refunds: { kind: 'module', module: './refunds.mjs' } }],
    ['IMAGES', 'jimp', { images: 'jimp' }],
    ['IMAGES', './images.mjs', { images: './images.mjs' }],
    ['REFUND_TOKEN', 's3cret', { refundToken: 's3cret' }],
    ['WORKER', 'off', { worker: false }],
    ['LOG_FORMAT', 'pretty', { logFormat: 'pretty' }],
    ['PORT', '0', { port: 0 }],
    ['HOST', '127.0.0.1', { host: '127.0.0.1', adminHost: '127.0.0.1' }],
    ['HOST', '::1', { host: '::1' }],
    ['HOST', 'shop.internal', { host: 'shop.internal' }],
    ['ADMIN_PORT', '9464', { adminPort: 9_464, host: undefined, adminHost: undefined }],
    ['ADMIN_HOST', '10.0.0.7', { host: undefined, adminHost: '10.0.0.7' }],
    ['DOCS', 'off', { docs: false }],
    ['WORKER_PORT', '9000', { workerPort: 9_000 }],
    ['WORKER_PORT', '', { workerPort: undefined }],
    ['PORT', '', { port: 3000 }],
  ])('is accepted: %s=%s', (name, value, expected) => {
    expect(readConfig({ [name]: value })).toMatchObject(expected);
  });
});

describe('REFUNDS=http', () => {
  it('needs a REFUND_URL', () => {
    expect(() => readConfig({ REFUNDS: 'http' })).toThrow('Bad configuration: REFUND_URL: is missing');
  });
});

describe('an invalid variable', () => {
  it.each([
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', 'http'],
    ['HOST', 'http://127.0.0.1'],
    ['HOST', '127.0.0.1:80'],
    ['ADMIN_PORT', '-1'],
    ['DOCS', 'none'],
    ['WORKER_PORT', '65536'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_POOL_SIZE', '0'],
    ['DATABASE_POOL_SIZE', '2.5'],
    ['JSON_LIMIT', 'much'],
    ['JSON_LIMIT', '0'],
    ['WORKER', 'maybe'],
    ['DEMO', 'perhaps'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
    ['REFUND_URL', 'pay.example/refunds'],
    ['REFUND_URL', 'ftp://pay.example'],
    ['REFUND_TOKEN', 'two words'],
    ['RATE_LIMIT_PER_ADDRESS', 'off'],
    ['RATE_LIMIT_STORE', 'http://localhost'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '11'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['RATE_LIMIT', 'slowly'],
    ['RATE_LIMIT', '0'],
    ['RATE_LIMIT', '-5'],
    ['RATE_LIMIT', '1.5'],
    ['RATE_LIMIT', '10/0'],
    ['RATE_LIMIT', '10/86401'],
    ['RATE_LIMIT', '10/1m'],
    ['CORS_ORIGINS', 'example.com'],
    ['CORS_ORIGINS', 'https://a.example/path'],
  ])('is refused with one line that names it: %s=%s', (name, value) => {
    const read = (): unknown => readConfig({ [name]: value });
    expect(read).toThrow(InvalidConfig);
    expect(read).toThrow(new RegExp(`^Bad configuration: ${name}: .+$`));
  });
});
