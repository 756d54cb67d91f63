import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config.js';
import { containerOf } from '../container.js';
import { CustomerEntity } from '../customers/index.js';
import { Database } from '../database/database.js';
import { dataSourceFor } from '../database/data-source.js';
import type { Route } from '../http/route.js';
import { libraryToolsOf } from '../media/index.js';
import { openRefundGateway } from '../proformas/index.js';
import { TOKENS } from '../tokens.js';

/** The route table, with nothing behind it: no database is connected to. */
export async function allRoutes(): Promise<readonly Route[]> {
  const folder = await mkdtemp(join(tmpdir(), 'back-office-docs-'));
  const config = readConfig({ DATA_DIR: folder });
  const media = await libraryToolsOf(config);
  try {
    const source = dataSourceFor({ url: 'postgres://nowhere' }, 1, [CustomerEntity]);
    return containerOf(new Database(source), { refunds: await openRefundGateway(config), media }).get(TOKENS.Routes);
  } finally {
    await media.close();
    await rm(folder, { recursive: true });
  }
}
