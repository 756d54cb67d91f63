import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import {
  ensureServer,
  findServer,
  type Home,
  prepareHome,
  SOCKET_NAME,
  stopServer,
  USER,
} from '@back-office/database-postgres';

export class DatabaseServer {
  private constructor(
    private readonly serverHome: Home,
    private readonly socketDirectory: string,
  ) {}

  static async start(directory: string): Promise<DatabaseServer> {
    const home = await prepareHome(directory, join(directory, 'far'));
    return new DatabaseServer(home, await ensureServer(home));
  }

  get socketPath(): string {
    return join(this.socketDirectory, SOCKET_NAME);
  }

  async createDatabase(name: string): Promise<void> {
    await this.rows('postgres', `create database ${name}`);
  }

  async dropDatabase(name: string): Promise<void> {
    await this.rows('postgres', `drop database if exists ${name} with (force)`);
  }

  /** Connects directly to the server, without the proxy. */
  async connect(database: string): Promise<pg.Client> {
    const client = new pg.Client({ host: this.socketDirectory, port: 5432, user: USER, database });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async rows<Row>(database: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = await this.connect(database);
    try {
      return (await client.query(text, [...values])).rows as Row[];
    } finally {
      await client.end();
    }
  }

  urlThrough(port: number, database: string): string {
    return `postgres://${USER}@127.0.0.1:${port}/${database}`;
  }

  /** Returns the pid of the main server process; `undefined` when the server is not running. */
  async pid(): Promise<number | undefined> {
    return (await findServer(this.serverHome))?.pid;
  }

  /** Signals the main process and waits until it ends. SIGQUIT stops the server without a checkpoint. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    const server = await findServer(this.serverHome);
    if (server) process.kill(server.pid, signal);
    while (await findServer(this.serverHome));
  }

  async ensureStarted(): Promise<void> {
    await ensureServer(this.serverHome);
  }

  async stop(): Promise<void> {
    await stopServer(this.serverHome);
    await rm(this.serverHome.directory, { recursive: true, force: true });
  }
}
