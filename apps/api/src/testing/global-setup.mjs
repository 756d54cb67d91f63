import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate, startEmbeddedPostgres } from '@back-office/database-postgres';

const TEMPLATE = `back_office_template_${process.pid}`;

/** Starts one server per test run, with a migrated database that every suite copies. */
export default async function setUp() {
  const url = process.env.DATABASE_URL;
  const dataDir = url ? undefined : mkdtempSync(join(tmpdir(), 'back-office-database-'));
  // If root starts the server, it runs as another user, who needs access to the folder.
  if (dataDir) chmodSync(dataDir, 0o755);
  const server = dataDir && (await startEmbeddedPostgres({ dataDir, fallbackDir: dataDir }));
  const connection = url ? { url } : { host: server.host, user: server.user, database: server.database };
  await administer(connection, `create database ${TEMPLATE}`);
  await migrate(connection.url ? { url: inDatabase(url, TEMPLATE) } : { ...connection, database: TEMPLATE });
  process.env.TEST_DATABASE = JSON.stringify({ connection, template: TEMPLATE });
  globalThis.tearDownDatabase = async () => {
    await administer(connection, `drop database if exists ${TEMPLATE} with (force)`);
    await server?.stop();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  };
}

async function administer(connection, statement) {
  const client = new pg.Client(connection.url ? { connectionString: connection.url } : connection);
  await client.connect();
  await client.query(statement);
  await client.end();
}

function inDatabase(url, database) {
  const target = new URL(url);
  target.pathname = `/${database}`;
  return target.href;
}
