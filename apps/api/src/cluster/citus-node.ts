import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../testing/free-port.js';
import { NODE_SETTINGS } from './node-settings.js';

const HOST = '127.0.0.1';
const USER = 'postgres';
const START_MS = 30_000;

/** One PostgreSQL server of a cluster. */
export class CitusNode {
  private server: ChildProcess | undefined;

  private constructor(
    readonly name: string,
    readonly port: number,
    private readonly folder: string,
  ) {}

  /** Creates the files of a node below `folder`, and starts it. Finds PostgreSQL by `PG_CONFIG` or `pg_config`. */
  static async create(folder: string, name: string): Promise<CitusNode> {
    const node = new CitusNode(name, await freePort(), join(folder, name));
    const owner = serverOwner();
    mkdirSync(node.folder);
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(node.folder, owner.uid, owner.gid);
    const options = ['-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
    execFileSync(program('initdb'), ['-D', node.folder, ...options], { ...owner, cwd: node.folder, stdio: 'ignore' });
    const settings = Object.entries({ ...NODE_SETTINGS, port: node.port, unix_socket_directories: node.folder });
    writeFileSync(
      join(node.folder, 'postgresql.auto.conf'),
      settings.map(([key, value]) => `${key} = '${value}'\n`).join(''),
    );
    await node.start();
    return node;
  }

  urlOf(database: string): string {
    return `postgres://${USER}@${HOST}:${this.port}/${database}`;
  }

  get socketPath(): string {
    return join(this.folder, `.s.PGSQL.${this.port}`);
  }

  async connect(database: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.urlOf(database) });
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

  /** Returns `undefined` while the node is stopped. */
  get pid(): number | undefined {
    return this.isRunning ? this.server?.pid : undefined;
  }

  private get isRunning(): boolean {
    return this.server?.exitCode === null && this.server.signalCode === null;
  }

  async start(): Promise<void> {
    // Without its own home, a node looks for certificates in the home of the user that started this process.
    const env = { ...process.env, HOME: this.folder };
    const options = { ...serverOwner(), env, cwd: this.folder, stdio: ['ignore', 'inherit', 'inherit'] as const };
    this.server = spawn(program('postgres'), ['-D', this.folder], { ...options, stdio: [...options.stdio] });
    const endMs = Date.now() + START_MS;
    while (!(await this.isOpen())) {
      if (Date.now() > endMs) throw new Error(`The node ${this.name} does not start`);
      await pause(100);
    }
  }

  /** Stops the node. SIGQUIT leaves it as a crash does: without a checkpoint, and with all connections cut. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const { server } = this;
    if (server === undefined || !this.isRunning) return;
    const exit = once(server, 'exit');
    server.kill(signal);
    await exit;
  }

  private isOpen(): Promise<boolean> {
    return this.rows('postgres', 'select 1').then(
      () => true,
      () => false,
    );
  }
}

function program(name: string): string {
  const command = process.env['PG_CONFIG'] ?? 'pg_config';
  return join(execFileSync(command, ['--bindir'], { encoding: 'utf8' }).trim(), name);
}

/** PostgreSQL refuses to run as root. */
function serverOwner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (option: string): number => Number(execFileSync('id', [option, USER], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
