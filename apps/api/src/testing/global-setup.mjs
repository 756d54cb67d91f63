import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { distribute, migrate, startEmbeddedPostgres } from '@back-office/database-postgres';

const TEMPLATE = `back_office_template_${process.pid}`;

// A statement that goes to all nodes fails at this node, which cannot be reached and has no shards. It is the last node,
// because Citus takes the locks of reference tables on the first.
const ADD_LOST_NODE = `
  insert into pg_dist_node (nodename, nodeport, isactive, metadatasynced, hasmetadata, shouldhaveshards, noderole, nodecluster)
  values ('127.0.0.1', 65535, true, false, false, false, 'primary', 'default')`;

/** Starts one server per test run, with a migrated database that every suite copies. */
export default async function setUp() {
  const url = process.env.DATABASE_URL;
  if (process.env.CLUSTER === '1') return setUpCluster(url);
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

/** Distributes a template over the nodes of the cluster. A suite copies the template of every node. */
async function setUpCluster(url) {
  if (!url) throw new Error('CLUSTER=1 needs the URL of the coordinator in DATABASE_URL');
  const nodes = await findNodes(url);
  const onAllNodes = (statement) => Promise.all(nodes.map((node) => administer(node, statement)));
  globalThis.tearDownDatabase = () => onAllNodes(`drop database if exists ${TEMPLATE} with (force)`);
  await onAllNodes(`create database ${TEMPLATE}`);
  for (const node of nodes) await administer({ url: inDatabase(node.url, TEMPLATE) }, 'create extension citus');
  const [coordinator, ...workers] = nodes;
  const add = (call, { host, port }) =>
    administer({ url: inDatabase(url, TEMPLATE) }, `select ${call}('${host}', ${port})`);
  await add('citus_set_coordinator_host', coordinator);
  for (const worker of workers) await add('citus_add_node', worker);
  await distribute({ url: inDatabase(url, TEMPLATE) });
  await administer({ url: inDatabase(url, TEMPLATE) }, ADD_LOST_NODE);
  // The background process of Citus would connect again, and a database with connections cannot be copied.
  await onAllNodes(`alter database ${TEMPLATE} allow_connections false`);
  await onAllNodes(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${TEMPLATE}'`);
  const workerUrls = workers.map((node) => node.url);
  process.env.TEST_DATABASE = JSON.stringify({ connection: { url }, template: TEMPLATE, workerUrls });
}

async function findNodes(url) {
  const nodes = await administer(
    { url },
    'select nodename as host, nodeport as port from pg_dist_node order by groupid',
  );
  return nodes.map(({ host, port }) => {
    const nodeUrl = new URL(url);
    nodeUrl.hostname = host;
    nodeUrl.port = port;
    return { url: nodeUrl.href, host, port };
  });
}

async function administer(connection, statement) {
  const client = new pg.Client(connection.url ? { connectionString: connection.url } : connection);
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}

function inDatabase(url, database) {
  const target = new URL(url);
  target.pathname = `/${database}`;
  return target.href;
}
