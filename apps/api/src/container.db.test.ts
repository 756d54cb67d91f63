import type { Container } from 'inversify';
import { mkdtemp, rm } from 'node:fs/promises';
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
  let container: Container;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'container-'));
    const config = readConfig({ DATA_DIR: folder });
    const [media, refunds, own] = await Promise.all([
      libraryToolsOf(config),
      openRefundGateway(config),
      testDatabase(),
    ]);
    const source = await dataSourceFor(own.connection, 1, [CustomerEntity]).initialize();
    container = containerOf(new Database(source), { refunds, media });
    close = async () => {
      await Promise.all([source.destroy(), media.close()]);
      await own.drop();
      await rm(folder, { recursive: true, force: true });
    };
  });
  afterAll(() => close());

  it.each(Object.keys(TOKENS) as (keyof typeof TOKENS)[])('resolves %s, once', (name) => {
    const service = container.get(TOKENS[name] as symbol);
    expect(service).toBeDefined();
    expect(container.get(TOKENS[name] as symbol)).toBe(service);
  });
});
