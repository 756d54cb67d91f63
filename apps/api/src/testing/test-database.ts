import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Connection } from '../database/data-source.js';

interface TestServer {
  readonly connection: Connection;
  readonly template: string;
}

export interface TestDatabase {
  readonly connection: Connection;
  /** The same as a URL, for another process. */
  readonly url: string;
  drop(): Promise<void>;
}

function testServer(): TestServer {
  return JSON.parse(process.env['TEST_DATABASE'] ?? '{}') as TestServer;
}

/** A database of the test's own on the server of this run: migrated and without records, or with nothing in it at all. */
export async function testDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const { connection, template } = testServer();
  const name = `back_office_test_${randomBytes(6).toString('hex')}`;
  await administer(connection, `create database ${name} template ${empty ? 'template0' : template}`);
  return {
    connection: inDatabase(connection, name),
    url: urlOf(connection, name),
    drop: () => administer(connection, `drop database if exists ${name} with (force)`),
  };
}

async function administer(connection: Connection, statement: string): Promise<void> {
  const client = new pg.Client('url' in connection ? { connectionString: connection.url } : connection);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function inDatabase(connection: Connection, database: string): Connection {
  return 'url' in connection ? { url: urlOf(connection, database) } : { ...connection, database };
}

function urlOf(connection: Connection, database: string): string {
  if ('url' in connection) {
    const url = new URL(connection.url);
    url.pathname = `/${database}`;
    return url.href;
  }
  return `postgres://${connection.user}@/${database}?host=${encodeURIComponent(connection.host)}`;
}
