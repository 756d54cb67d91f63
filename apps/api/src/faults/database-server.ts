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

/** A PostgreSQL server that can be killed and restarted. */
export class DatabaseServer {
  private constructor(
    private readonly home: Home,
    private readonly socketDirectory: string,
  ) {}

  static async start(directory: string): Promise<DatabaseServer> {
    const home = await prepareHome(directory, join(directory, 'far'));
    return new DatabaseServer(home, await ensureServer(home));
  }

  get socketPath(): string {
    return join(this.socketDirectory, SOCKET_NAME);
  }

  /** A client that bypasses the proxy. */
  async client(database: string): Promise<pg.Client> {
    const client = new pg.Client({ host: this.socketDirectory, port: 5432, user: USER, database });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async rows<Row>(database: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = await this.client(database);
    try {
      return (await client.query(text, [...values])).rows as Row[];
    } finally {
      await client.end();
    }
  }

  urlThrough(port: number, database: string): string {
    return `postgres://${USER}@127.0.0.1:${port}/${database}`;
  }

  /** Pid of the main server process while it runs. */
  async pid(): Promise<number | undefined> {
    return (await findServer(this.home))?.pid;
  }

  /** Signals the main process; SIGQUIT stops the server without a checkpoint. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    const server = await findServer(this.home);
    if (server) process.kill(server.pid, signal);
    while (await findServer(this.home));
  }

  /** Starts the server unless it runs. */
  async startAgain(): Promise<void> {
    await ensureServer(this.home);
  }

  async stop(): Promise<void> {
    await stopServer(this.home);
    await rm(this.home.directory, { recursive: true, force: true });
  }
}
