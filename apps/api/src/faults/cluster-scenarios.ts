import { setTimeout as pause } from 'node:timers/promises';
import type { CitusNode } from '../cluster/citus-node.js';
import { openShop, sellOnce } from './load.js';
import { ClusterServer } from './cluster-server.js';
import { EventReceiver } from './event-receiver.js';
import { UNKNOWN, type Caller } from './caller.js';
import type { Rig } from './rig.js';
import type { Scenario, ScenarioResult } from './scenario.js';
import { SCENARIOS } from './scenarios.js';

const OUTAGE_MS = 10_000;
const MAX_RECOVERY_MS = 30_000;
const SALE_PAUSE_MS = 200;
const CUSTOMER = { external_ref: 'crm-1', email: 'ana@example.com', first_name: 'Ana', last_name: 'Jović' };
const UNUSED_ENDPOINT = { url: 'http://127.0.0.1:9/', types: ['voucher.updated'] };
const OLD_TOKEN = `bo_app_${'o'.repeat(43)}`;
const ADD_OLD_TOKEN = `
  insert into access_tokens (app_id, kind, token_hash, inserted_at) values ($1, 'app', sha256($2::bytea), now())`;

interface Shop {
  readonly caller: Caller;
  /** Calls with a token that does not name its app. */
  readonly oldCaller: Caller;
  readonly bankTransferId: number;
}

/** These faults concern one server, or measure times that a cluster changes. */
const ON_ONE_SERVER = ['F4 the database is killed', 'F9', 'F16', 'F17', 'F20', 'F21', 'F22', 'F23', 'F24'];

/** Names of `SCENARIOS` that also run on a cluster, and faults of a cluster alone. */
export const CLUSTER_SCENARIOS: readonly Scenario[] = [
  ...SCENARIOS.filter(({ name }) => !ON_ONE_SERVER.some((prefix) => name.startsWith(prefix))),
  { name: 'C1 the node of the shop is killed for 10 s', run: nodeKilled, runsAlone: true },
  { name: 'C2 all shards of the shop move', run: shardsMoved, runsAlone: true },
  { name: 'C3 a node is added, and shards are spread again', run: nodeAdded, runsAlone: true },
];

async function nodeKilled(rig: Rig): Promise<ScenarioResult> {
  const server = serverOf(rig);
  const node = await server.nodeOf(rig.database, rig.caller.appId);
  const neighbour = await findNeighbour(rig, node);
  const receiver = await EventReceiver.start();
  try {
    await neighbour.caller.mustSucceed('POST', '/webhook_endpoints', { webhook_endpoint: { url: receiver.url } });
    return await killNode(rig, node, neighbour, receiver);
  } finally {
    receiver.stop();
  }
}

async function killNode(rig: Rig, node: CitusNode, neighbour: Shop, receiver: EventReceiver): Promise<ScenarioResult> {
  let sold = { sales: 0, failures: 0 };
  let deliveredEvents = 0;
  let readyMs = 0;
  await rig.underLoad(async () => {
    await node.stop('SIGQUIT');
    sold = await serveFor(neighbour, OUTAGE_MS);
    deliveredEvents = receiver.accepted.length;
    await node.start();
    readyMs = await untilServed(rig.caller);
  });
  if (sold.failures > 0) throw new Error(`A shop on another node had ${sold.failures} failed calls`);
  if (deliveredEvents === 0) throw new Error('A shop on another node got no webhook');
  return { readyMs, note: `a shop on another node: ${sold.sales} sales, no failed call, ${deliveredEvents} webhooks` };
}

async function shardsMoved(rig: Rig): Promise<ScenarioResult> {
  const server = serverOf(rig);
  const source = await server.nodeOf(rig.database, rig.caller.appId);
  const target = server.cluster.workers.find((worker) => worker !== source) as CitusNode;
  const move = `select citus_move_shard_placement(
    get_shard_id_for_distribution_column('proforma_orders', $1::bigint), '127.0.0.1', $2, '127.0.0.1', $3)`;
  return whileServing(rig, async () => {
    await rig.rows(move, [rig.caller.appId, source.port, target.port]);
  });
}

async function nodeAdded(rig: Rig): Promise<ScenarioResult> {
  const { cluster } = serverOf(rig);
  return whileServing(rig, async () => {
    await cluster.addNode(await cluster.createWorker(), rig.database);
    await rig.rows('select rebalance_table_shards()');
  });
}

/** Counts calls that failed during the work. Moving shards blocks writes for a moment, so some may. */
async function whileServing(rig: Rig, work: () => Promise<void>): Promise<ScenarioResult> {
  const [failuresBefore, jobsBefore, startMs] = [rig.caller.failures, rig.history.completedJobs, performance.now()];
  let seconds = 0;
  await rig.underLoad(async () => {
    await work();
    seconds = Math.round((performance.now() - startMs) / 1_000);
  });
  const [failures, jobs] = [rig.caller.failures - failuresBefore, rig.history.completedJobs - jobsBefore];
  return { note: `${seconds} s, ${jobs} jobs, ${failures} failed calls, which were repeated` };
}

function serverOf({ server }: Rig): ClusterServer {
  if (!(server instanceof ClusterServer)) throw new Error('This fault needs a cluster');
  return server;
}

/** Opens a shop whose records are on another node. */
async function findNeighbour(rig: Rig, node: CitusNode): Promise<Shop> {
  for (;;) {
    const caller = await rig.newShop();
    if ((await serverOf(rig).nodeOf(rig.database, caller.appId)) === node) continue;
    await rig.rows(ADD_OLD_TOKEN, [caller.appId, OLD_TOKEN]);
    await caller.mustSucceed('POST', '/customers', { customer: CUSTOMER });
    return { caller, oldCaller: caller.withToken(OLD_TOKEN), bankTransferId: await openShop(caller) };
  }
}

async function serveFor(
  { caller, oldCaller, bankTransferId }: Shop,
  durationMs: number,
): Promise<{ sales: number; failures: number }> {
  const failedCalls = () => caller.failures + caller.unanswered;
  const [endMs, failedCallsBefore] = [performance.now() + durationMs, failedCalls()];
  let sales = 0;
  while (performance.now() < endMs) {
    if (await sellOnce(caller, bankTransferId)) sales += 1;
    await useTokens(caller, CUSTOMER.external_ref);
    await changeSettings(caller, sales);
    await checkMissingEvaluation(caller);
    await oldCaller.call('GET', '/proforma_orders');
    await pause(SALE_PAUSE_MS);
  }
  return { sales, failures: failedCalls() - failedCallsBefore };
}

/** Changes settings, and adds and removes an endpoint of webhooks, which locks the settings. */
async function changeSettings(caller: Caller, count: number): Promise<void> {
  const name = `Shop ${count}`;
  const settings = await caller.call('PATCH', '/app/settings', { name });
  const endpoint = await caller.call('POST', '/webhook_endpoints', { webhook_endpoint: UNUSED_ENDPOINT });
  const statuses = [settings, endpoint].map((answer) => (answer === UNKNOWN ? UNKNOWN : answer.status));
  if (statuses.some((status) => status !== UNKNOWN && status >= 300))
    throw new Error(`Settings and an endpoint got ${statuses.join(' and ')}`);
  if (settings !== UNKNOWN && settings.data.name !== name) throw new Error('The settings have not changed');
  if (endpoint !== UNKNOWN) await caller.call('DELETE', `/webhook_endpoints/${endpoint.data.id}`);
}

/** Creates and revokes a token of the app, an anonymous session, and a customer's session with a device. */
async function useTokens(caller: Caller, externalRef: string): Promise<void> {
  const device = { uuid: 'till' };
  for (const [path, body] of [
    ['/access_tokens', { access_token: { name: 'till' } }],
    ['/sessions', { session: { device } }],
    ['/sessions', { session: { device, customer_external_ref: externalRef } }],
  ] as const) {
    const token = await caller.call('POST', path, body);
    if (token === UNKNOWN) continue;
    if ('customer_external_ref' in (body.session ?? {}))
      await registerDevice(caller.withToken(token.data.access_token));
    const end = await caller.call('DELETE', `${path}/${token.data.id}`);
    const isEnded = end === UNKNOWN || end.status < 300;
    if (token.status !== 201 || !isEnded) throw new Error(`A token of ${path} was not created and revoked`);
  }
}

async function registerDevice(session: Caller): Promise<void> {
  const device = { messaging_token: 'push-1', notification_channel_id: 3 };
  await session.mustSucceed('PUT', '/notification_device', { notification_device: device });
}

async function checkMissingEvaluation(caller: Caller): Promise<void> {
  const refusal = await caller.call('POST', '/proforma_orders', { order_processing_id: Number.MAX_SAFE_INTEGER });
  if (refusal !== UNKNOWN && refusal.status !== 422) throw new Error(`A missing evaluation got ${refusal.status}`);
}

async function untilServed(caller: Caller): Promise<number> {
  const startMs = performance.now();
  while (performance.now() - startMs < MAX_RECOVERY_MS) {
    const answer = await caller.call('GET', '/proforma_orders');
    if (answer !== 'unknown' && answer.status === 200) return performance.now() - startMs;
    await pause(20);
  }
  throw new Error('The shop is not served again');
}
