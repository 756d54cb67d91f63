/** Settings of a cluster's nodes. [Scaling](../../../../docs/scaling.md#a-cluster-by-app) explains them. */
export const NODE_SETTINGS: Readonly<Record<string, string | number>> = {
  shared_preload_libraries: 'citus',
  listen_addresses: '127.0.0.1',
  max_connections: 500,
  max_worker_processes: 200,
  max_prepared_transactions: 200,
  // Needed to move shards while the service runs.
  wal_level: 'logical',
  // The coordinator does not send the limits and planner settings of its sessions to the other nodes.
  lock_timeout: '2s',
  jit: 'off',
  enable_seqscan: 'off',
  random_page_cost: 1.1,
  max_parallel_workers_per_gather: 0,
  timezone: 'UTC',
  'citus.shard_count': 8,
  'citus.node_conninfo': 'sslmode=prefer',
  'citus.recover_2pc_interval': '5s',
  log_min_messages: process.env['CLUSTER_LOG'] ?? 'panic',
};
