import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { ConnectionTarget } from '../src/connection/data-source.js';

interface TestServer {
  readonly connection: ConnectionTarget;
  readonly template: string;
}

export interface TestDatabase {
  readonly connection: ConnectionTarget;
  readonly url: string;
  drop(): Promise<void>;
}

function readTestServer(): TestServer {
  return JSON.parse(process.env['TEST_DATABASE'] ?? '{}') as TestServer;
}

export async function makeTestDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  const { connection, template } = readTestServer();
  const name = `back_office_test_${randomBytes(6).toString('hex')}`;
  await administer(connection, `create database ${name} template ${isEmpty ? 'template0' : template}`);
  return {
    connection: withDatabase(connection, name),
    url: urlOf(connection, name),
    drop: () => administer(connection, `drop database if exists ${name} with (force)`),
  };
}

async function administer(connection: ConnectionTarget, statement: string): Promise<void> {
  const client = new pg.Client('url' in connection ? { connectionString: connection.url } : connection);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function withDatabase(connection: ConnectionTarget, database: string): ConnectionTarget {
  return 'url' in connection ? { url: urlOf(connection, database) } : { ...connection, database };
}

function urlOf(connection: ConnectionTarget, database: string): string {
  if ('url' in connection) {
    const url = new URL(connection.url);
    url.pathname = `/${database}`;
    return url.href;
  }
  return `postgres://${connection.user}@/${database}?host=${encodeURIComponent(connection.host)}`;
}
