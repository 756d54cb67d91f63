import type { Container } from 'inversify';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from './config.js';
import { containerOf, SystemClock } from './container.js';
import { dataSourceFor, portsOf, Postgres } from '@back-office/database-postgres';
import { openLibraryTools } from './media/index.js';
import { openRefundGateway } from './proformas/index.js';
import { makeTestDatabase } from '@back-office/database-postgres/testing';
import { TOKENS } from './tokens.js';

describe('the container', () => {
  let container: Container;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'container-'));
    const config = readConfig({ DATA_DIR: folder });
    const [media, refunds, testServer] = await Promise.all([
      openLibraryTools(config),
      openRefundGateway(config, () => {}),
      makeTestDatabase(),
    ]);
    const source = await dataSourceFor(testServer.connection, 1).initialize();
    const { base, isPublished } = media.library;
    const options = { clock: new SystemClock(), publicBase: () => base, isPublished: () => isPublished };
    container = containerOf(portsOf(new Postgres(source), testServer.connection, options), { refunds, media });
    close = async () => {
      await Promise.all([source.destroy(), media.close()]);
      await testServer.drop();
      await rm(folder, { recursive: true, force: true });
    };
  });
  afterAll(() => close());

  it.each(Object.keys(TOKENS) as (keyof typeof TOKENS)[])('resolves %s to one instance', (name) => {
    const service = container.get(TOKENS[name] as symbol);
    expect(service).toBeDefined();
    expect(container.get(TOKENS[name] as symbol)).toBe(service);
  });
});
