import { setTimeout as pause } from 'node:timers/promises';
import { UNKNOWN, type Answer } from './caller.js';
import { evaluation } from './load.js';
import type { Outcome } from './scenario.js';
import type { Rig } from './rig.js';

const CONCURRENT_CALLS = 24;
const PIECES = 5;
const DUE = 200;

const all = <Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const succeeded = (answers: readonly (Answer | typeof UNKNOWN)[]): Answer[] =>
  answers.filter((answer): answer is Answer => answer !== UNKNOWN && answer.status < 300);

let rare = 0;

/** Concurrent calls that compete for the same records, on two servers. */
export async function bursts(rig: Rig): Promise<Outcome> {
  const breaches: string[] = [];
  const expectCount = (name: string, actual: number, expected: number): void => {
    if (actual !== expected) breaches.push(`${name}: ${actual}, not ${expected}`);
  };
  const { caller, stranger } = rig;
  const post = (path: string, body: object) => caller.ask('POST', path, body);

  rare += 1;
  const code = `RARE-${rare}`;
  await caller.mustSettle('POST', '/int/products', {
    products: [{ code, name: code, price: 100, vat_rate: 20, variants: [{ code }] }],
  });
  await caller.mustSettle('PUT', '/int/stocks', { stocks: [{ code, warehouse_code: 'W', qty: PIECES }] });
  const evaluations = await all(CONCURRENT_CALLS, () => evaluation(caller, [{ code, qty: 1 }]));
  const sold = succeeded(
    await all(CONCURRENT_CALLS, (index) => post('/proforma_orders', { order_processing_id: evaluations[index] })),
  );
  expectCount('sales of the last pieces', sold.length, PIECES);

  const one = await evaluation(caller, [
    { code: 'V1', qty: 1 },
    { code: 'V2', qty: 1 },
  ]);
  const made = succeeded(await all(CONCURRENT_CALLS, () => post('/proforma_orders', { order_processing_id: one })));
  expectCount('proformas of one evaluation', made.length, 1);
  const path = `/proforma_orders/${made[0]?.data.id}`;
  const payment = { payment: { payment_method_id: rig.bank, amount: 0 } };
  expectCount('full payments', succeeded(await all(CONCURRENT_CALLS, () => post(`${path}/pay`, payment))).length, 1);
  await post(`${path}/warehouse_confirm`, {});
  const orders = succeeded(await all(CONCURRENT_CALLS, () => post(`${path}/convert`, {})));
  expectCount('orders of one proforma', new Set(orders.map(({ data }) => data.id)).size, 1);

  const other = await evaluation(caller, [{ code: 'V3', qty: 1 }]);
  const canceled = await caller.mustSettle('POST', '/proforma_orders', { order_processing_id: other });
  await post(`/proforma_orders/${canceled.id}/pay`, payment);
  await all(CONCURRENT_CALLS, () => caller.ask('DELETE', `/proforma_orders/${canceled.id}`, {}));

  const seen = await stranger.ask('GET', `/proforma_orders/${canceled.id}`);
  if (seen !== UNKNOWN && seen.status !== 404) breaches.push(`another app sees a proforma: ${seen.status}`);

  // Baskets in opposite orders would deadlock without a fixed lock order.
  const baskets = await all(CONCURRENT_CALLS, (index) =>
    evaluation(
      caller,
      (index % 2 ? ['V4', 'V5', 'V6'] : ['V6', 'V5', 'V4']).map((each) => ({ code: each, qty: 1 })),
    ),
  );
  const crossed = await all(CONCURRENT_CALLS, (index) =>
    post('/proforma_orders', { order_processing_id: baskets[index] }),
  );
  expectCount('baskets in opposite orders', succeeded(crossed).length, CONCURRENT_CALLS);
  return { breaches };
}

/** Two workers expire the same proformas. */
export async function expireTwice(rig: Rig): Promise<Outcome> {
  const items = [{ code: 'V7', qty: 1 }];
  const ids: number[] = [];
  for (let first = 0; first < DUE; first += 20) {
    const made = await all(20, async () =>
      rig.caller.mustSettle('POST', '/proforma_orders', { order_processing_id: await evaluation(rig.caller, items) }),
    );
    ids.push(...made.map(({ id }) => id));
  }
  const second = rig.anotherWorker();
  await second.start();
  await rig.rows(
    `update proforma_orders set expires_at = now() - interval '1 second', due_at = now() - interval '1 second'
     where id = any($1)`,
    [ids],
  );
  const open = `select count(*)::int as count from proforma_orders where id = any($1) and status_id in (1, 2, 3, 4, 5)`;
  const end = Date.now() + 20_000;
  let left = ids.length;
  while (left > 0 && Date.now() < end) {
    await pause(100);
    left = (await rig.rows<{ count: number }>(open, [ids]))[0]?.count ?? 0;
  }
  await second.signal('SIGKILL');
  for (const id of ids) rig.history.proformas.delete(id);
  return { breaches: left === 0 ? [] : [`${left} of ${DUE} are not expired`], note: `${DUE} proformas` };
}
