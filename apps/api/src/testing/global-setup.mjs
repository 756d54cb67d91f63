import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { bundle } from '../../bundle.mjs';
import { migrate, startEmbeddedPostgres } from '@back-office/database-postgres';

const MIN_FREE_BYTES = 4 * 2 ** 30;
const TEMPLATE = `back_office_template_${process.pid}`;

/** Starts one server per test run, with a migrated database that every suite copies. */
export default async function setUp() {
  await bundle();
  const url = process.env.DATABASE_URL;
  const dataDir = url ? undefined : mkdtempSync(join(fastestFolder(), 'back-office-tests-'));
  // If root starts the server, it runs as another user, who needs access to the folder.
  if (dataDir) chmodSync(dataDir, 0o755);
  const server = dataDir && (await startEmbeddedPostgres({ dataDir, fallbackDir: dataDir }));
  const connection = url ? { url } : { host: server.host, user: server.user, database: server.database };
  await administer(connection, `create database ${TEMPLATE}`);
  await migrate(inDatabase(connection, TEMPLATE));
  process.env.TEST_DATABASE = JSON.stringify({ connection, template: TEMPLATE });
  globalThis.tearDownDatabase = async () => {
    await administer(connection, `drop database if exists ${TEMPLATE} with (force)`);
    await server?.stop();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  };
}

/** Prefers a file system in memory, because each suite copies a database of 1,000 files and drops it again. */
function fastestFolder() {
  const folder = '/dev/shm';
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MIN_FREE_BYTES ? folder : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function administer(connection, statement) {
  const client = new pg.Client(connection.url ? { connectionString: connection.url } : connection);
  await client.connect();
  await client.query(statement);
  await client.end();
}

function inDatabase(connection, database) {
  if (!connection.url) return { ...connection, database };
  const url = new URL(connection.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}
