import type { Client } from 'pg';
import { distribute } from '@back-office/database-postgres';
import { CitusCluster } from '../cluster/citus-cluster.js';
import type { CitusNode } from '../cluster/citus-node.js';
import type { DatabaseUnderFault } from './database-server.js';

const FIND_NODE = `
  select n.nodeport as port from pg_dist_placement p join pg_dist_node n using (groupid)
  where p.shardid = get_shard_id_for_distribution_column('proforma_orders', $1::bigint)`;

/** A cluster; the service connects to its coordinator. */
export class ClusterServer implements DatabaseUnderFault {
  private constructor(readonly cluster: CitusCluster) {}

  static async start(): Promise<ClusterServer> {
    return new ClusterServer(await CitusCluster.start());
  }

  private get coordinator(): CitusNode {
    return this.cluster.coordinator;
  }

  get socketPath(): string {
    return this.coordinator.socketPath;
  }

  async createDatabase(name: string): Promise<void> {
    await this.cluster.createDatabase(name);
    await distribute({ url: this.coordinator.urlOf(name) });
  }

  dropDatabase(name: string): Promise<void> {
    return this.cluster.dropDatabase(name);
  }

  /** Returns the node that holds the records of the app. */
  async nodeOf(database: string, appId: number): Promise<CitusNode> {
    const [row] = await this.rows<{ port: number }>(database, FIND_NODE, [appId]);
    const node = this.cluster.nodes.find(({ port }) => port === row?.port);
    if (node === undefined) throw new Error(`App ${appId} is on no node of the cluster`);
    return node;
  }

  connect(database: string): Promise<Client> {
    return this.coordinator.connect(database);
  }

  rows<Row>(database: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.coordinator.rows<Row>(database, text, values);
  }

  urlThrough(port: number, database: string): string {
    const url = new URL(this.coordinator.urlOf(database));
    url.port = String(port);
    return url.href;
  }

  pid(): Promise<number | undefined> {
    return Promise.resolve(this.coordinator.pid);
  }

  signal(signal: NodeJS.Signals): Promise<void> {
    return this.coordinator.stop(signal);
  }

  async ensureStarted(): Promise<void> {
    if (this.coordinator.pid === undefined) await this.coordinator.start();
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }
}
