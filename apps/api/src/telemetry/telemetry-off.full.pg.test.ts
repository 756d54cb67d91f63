import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BUILD_FOLDER, startServer, type ServerProcess } from '../testing/server-process.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'back-office-off-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** Classes of the SDK. `prom-client` always loads `@opentelemetry/api`, which has none of them. */
const SDK_CLASSES = ['BatchSpanProcessor', 'BatchLogRecordProcessor', 'PeriodicExportingMetricReader'];

function start(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  return startServer({
    DATABASE: 'memory',
    DATA_DIR: join(folder, 'data'),
    NODE_V8_COVERAGE: join(folder, 'coverage'),
    ...environment,
  });
}

/** Returns the classes of the SDK in the files that the service has loaded. The service must have ended. */
function loadedClasses(): string[] {
  const urls = readdirSync(join(folder, 'coverage')).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(folder, 'coverage', file), 'utf8')) as Coverage;
    return result.map(({ url }) => url);
  });
  const paths = [...new Set(urls)].filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
  expect(paths).toContain(`${BUILD_FOLDER}main.js`);
  const texts = paths.map((path) => readFileSync(path, 'utf8'));
  return SDK_CLASSES.filter((name) => texts.some((text) => text.includes(name)));
}

const callOnce = async ({ origin }: ServerProcess): Promise<number> => (await fetch(`${origin}/api/v2/orders`)).status;

it('loads no SDK of OpenTelemetry without a collector', async () => {
  const server = await start({ OTEL_SERVICE_NAME: 'shop', OTEL_TRACES_SAMPLER: 'always_on' });
  expect(await callOnce(server)).toBe(401);
  expect(await server.stop()).toBe(0);
  expect(loadedClasses()).toEqual([]);
});

it('answers and stops as usual with a dead collector, and logs one warning for each signal', async () => {
  const server = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_BLRP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '50',
    OTEL_TRACES_SAMPLER: 'always_on',
  });
  for (let count = 0; count < 40; count += 1) {
    expect(await callOnce(server)).toBe(401);
    await pause(20);
  }
  expect(await server.stop()).toBe(0);
  expect(server.output().match(/telemetry not exported/g)).toHaveLength(3);
  expect(server.output()).toContain('ECONNREFUSED');
  expect(loadedClasses()).toEqual(SDK_CLASSES);
});

it('stops within seconds when the collector never answers', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const server = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  const stopMs = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - stopMs).toBeLessThan(8_000);
  silent.closeAllConnections();
  silent.close();
});
