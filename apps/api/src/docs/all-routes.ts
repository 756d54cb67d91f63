import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config.js';
import { containerOf, SystemClock } from '../container.js';
import { dataSourceFor, portsOf, Postgres } from '@back-office/database-postgres';
import type { Route } from '../http/route.js';
import { openLibraryTools } from '../media/index.js';
import { openRefundGateway } from '../proformas/index.js';
import { TOKENS } from '../tokens.js';

/** Builds the route table without a database connection. */
export async function buildRoutes(): Promise<readonly Route[]> {
  const folder = await mkdtemp(join(tmpdir(), 'back-office-docs-'));
  const config = readConfig({ DATA_DIR: folder });
  const media = await openLibraryTools(config);
  try {
    const connection = { url: 'postgres://nowhere' };
    const postgres = new Postgres(dataSourceFor(connection, 1));
    const { base, isPublished } = media.library;
    const options = { clock: new SystemClock(), publicBase: () => base, isPublished: () => isPublished };
    const refunds = await openRefundGateway(config, () => {});
    return containerOf(portsOf(postgres, connection, options), { refunds, media }).get(TOKENS.Routes);
  } finally {
    await media.close();
    await rm(folder, { recursive: true });
  }
}
