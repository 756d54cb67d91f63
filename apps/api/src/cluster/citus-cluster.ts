import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CitusNode } from './citus-node.js';

/** A Citus cluster on this machine: a coordinator, which holds no records of apps, and workers. */
export class CitusCluster {
  private constructor(
    private readonly folder: string,
    readonly coordinator: CitusNode,
    readonly workers: CitusNode[],
  ) {}

  static async start(workerCount = 2): Promise<CitusCluster> {
    const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'back-office-cluster-'));
    chmodSync(folder, 0o755);
    const coordinator = await CitusNode.create(folder, 'coordinator');
    const cluster = new CitusCluster(folder, coordinator, []);
    try {
      for (let number = 1; number <= workerCount; number += 1) await cluster.createWorker();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get nodes(): readonly CitusNode[] {
    return [this.coordinator, ...this.workers];
  }

  /** Starts one more worker. {@link addNode} makes it part of a database. */
  async createWorker(): Promise<CitusNode> {
    const worker = await CitusNode.create(this.folder, `worker${this.workers.length + 1}`);
    this.workers.push(worker);
    return worker;
  }

  /** Makes the database `name` on all nodes, if it does not exist, and connects them. */
  async createDatabase(name: string): Promise<void> {
    if (name !== 'postgres') await this.coordinator.rows('postgres', `create database ${name}`);
    await this.coordinator.rows(name, 'create extension citus');
    await this.coordinator.rows(name, 'select citus_set_coordinator_host($1, $2)', [
      '127.0.0.1',
      this.coordinator.port,
    ]);
    for (const worker of this.workers) await this.addNode(worker, name);
  }

  async addNode(worker: CitusNode, database: string): Promise<void> {
    if (database !== 'postgres') await worker.rows('postgres', `create database ${database}`);
    await worker.rows(database, 'create extension citus');
    await this.coordinator.rows(database, 'select citus_add_node($1, $2)', ['127.0.0.1', worker.port]);
  }

  async dropDatabase(name: string): Promise<void> {
    for (const node of this.nodes) await node.rows('postgres', `drop database if exists ${name} with (force)`);
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
