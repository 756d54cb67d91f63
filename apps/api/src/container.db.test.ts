import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from './config.js';
import { containerOf } from './container.js';
import { CustomerEntity } from './customers/index.js';
import { Database } from './database/database.js';
import { dataSourceFor } from './database/data-source.js';
import { libraryToolsOf } from './media/index.js';
import { openRefundGateway } from './proformas/index.js';
import { testDatabase } from './testing/test-database.js';
import { TOKENS } from './tokens.js';

describe('the container', () => {
  it.each(Object.keys(TOKENS) as (keyof typeof TOKENS)[])('resolves %s, once', async (name) => {
    const own = await testDatabase();
    const source = await dataSourceFor(own.connection, 1, [CustomerEntity]).initialize();
    const container = containerOf(new Database(source), {
      refunds: await openRefundGateway(readConfig({})),
      media: await libraryToolsOf(readConfig({ DATA_DIR: await mkdtemp(join(tmpdir(), 'container-')) })),
    });
    const service = container.get(TOKENS[name] as symbol);
    expect(service).toBeDefined();
    expect(container.get(TOKENS[name] as symbol)).toBe(service);
    await source.destroy();
    await own.drop();
  });
});
