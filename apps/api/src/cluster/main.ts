/**
 * Starts a Citus cluster on this machine for tests. With a command, runs it with `DATABASE_URL` and `CLUSTER=1`;
 * otherwise prints `DATABASE_URL`, and waits for a signal.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CitusCluster } from './citus-cluster.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const cluster = await CitusCluster.start();
try {
  await cluster.createDatabase('postgres');
  const url = cluster.coordinator.urlOf('postgres');
  const [command, ...parameters] = process.argv.slice(2);
  if (command === undefined) {
    process.stdout.write(`DATABASE_URL=${url}\n`);
    await Promise.race(SIGNALS.map((signal) => once(process, signal)));
  } else {
    const env = { ...process.env, DATABASE_URL: url, CLUSTER: '1' };
    const child = spawn(command, parameters, { env, stdio: 'inherit' });
    for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
    const [code] = (await once(child, 'exit')) as [number | null];
    process.exitCode = code ?? 1;
  }
} finally {
  await cluster.stop();
}
