import { OPEN_STATUSES, statusId } from '@back-office/proforma';
import { setTimeout as pause } from 'node:timers/promises';
import { UNKNOWN, type Answer } from './caller.js';
import { evaluate } from './load.js';
import type { ScenarioResult } from './scenario.js';
import type { Rig } from './rig.js';

const CONCURRENT_CALLS = 24;
const AVAILABLE_PIECES = 5;
const DUE_PROFORMA_COUNT = 200;

const runConcurrently = <Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const successesOf = (answers: readonly (Answer | typeof UNKNOWN)[]): Answer[] =>
  answers.filter((answer): answer is Answer => answer !== UNKNOWN && answer.status < 300);

let rareProducts = 0;

/** Sends concurrent calls for the same records to two servers. */
export async function bursts(rig: Rig): Promise<ScenarioResult> {
  const breaches: string[] = [];
  const expectCount = (name: string, actual: number, expected: number): void => {
    if (actual !== expected) breaches.push(`${name}: ${actual}, not ${expected}`);
  };
  const { caller, stranger } = rig;
  const post = (path: string, body: object) => caller.call('POST', path, body);

  rareProducts += 1;
  const code = `RARE-${rareProducts}`;
  await caller.mustSucceed('POST', '/int/products', {
    products: [{ code, name: code, price: 100, vat_rate: 20, variants: [{ code }] }],
  });
  await caller.mustSucceed('PUT', '/int/stocks', { stocks: [{ code, warehouse_code: 'W', qty: AVAILABLE_PIECES }] });
  const evaluations = await runConcurrently(CONCURRENT_CALLS, () => evaluate(caller, [{ code, qty: 1 }]));
  const sales = successesOf(
    await runConcurrently(CONCURRENT_CALLS, (index) =>
      post('/proforma_orders', { order_processing_id: evaluations[index] }),
    ),
  );
  expectCount('sales of the last pieces', sales.length, AVAILABLE_PIECES);

  const evaluationId = await evaluate(caller, [
    { code: 'V1', qty: 1 },
    { code: 'V2', qty: 1 },
  ]);
  const proformas = successesOf(
    await runConcurrently(CONCURRENT_CALLS, () => post('/proforma_orders', { order_processing_id: evaluationId })),
  );
  expectCount('proformas of one evaluation', proformas.length, 1);
  const path = `/proforma_orders/${proformas[0]?.data.id}`;
  const payment = { payment: { payment_method_id: rig.bankTransferId, amount: 0 } };
  expectCount(
    'full payments',
    successesOf(await runConcurrently(CONCURRENT_CALLS, () => post(`${path}/pay`, payment))).length,
    1,
  );
  await post(`${path}/warehouse_confirm`, {});
  const orders = successesOf(await runConcurrently(CONCURRENT_CALLS, () => post(`${path}/convert`, {})));
  expectCount('orders of one proforma', new Set(orders.map(({ data }) => data.id)).size, 1);

  const cancelableEvaluationId = await evaluate(caller, [{ code: 'V3', qty: 1 }]);
  const canceledProforma = await caller.mustSucceed('POST', '/proforma_orders', {
    order_processing_id: cancelableEvaluationId,
  });
  await post(`/proforma_orders/${canceledProforma.id}/pay`, payment);
  await runConcurrently(CONCURRENT_CALLS, () => caller.call('DELETE', `/proforma_orders/${canceledProforma.id}`, {}));

  const strangerAnswer = await stranger.call('GET', `/proforma_orders/${canceledProforma.id}`);
  if (strangerAnswer !== UNKNOWN && strangerAnswer.status !== 404)
    breaches.push(`another app sees a proforma: ${strangerAnswer.status}`);

  // The baskets list variants in opposite orders, so they would deadlock without a fixed lock order.
  const evaluationIds = await runConcurrently(CONCURRENT_CALLS, (index) =>
    evaluate(
      caller,
      (index % 2 ? ['V4', 'V5', 'V6'] : ['V6', 'V5', 'V4']).map((variantCode) => ({ code: variantCode, qty: 1 })),
    ),
  );
  const answers = await runConcurrently(CONCURRENT_CALLS, (index) =>
    post('/proforma_orders', { order_processing_id: evaluationIds[index] }),
  );
  expectCount('baskets in opposite orders', successesOf(answers).length, CONCURRENT_CALLS);
  return { breaches };
}

/** Two workers expire the same proformas. */
export async function expireTwice(rig: Rig): Promise<ScenarioResult> {
  const items = [{ code: 'V7', qty: 1 }];
  const ids: number[] = [];
  for (let first = 0; first < DUE_PROFORMA_COUNT; first += 20) {
    const proformas = await runConcurrently(20, async () =>
      rig.caller.mustSucceed('POST', '/proforma_orders', { order_processing_id: await evaluate(rig.caller, items) }),
    );
    ids.push(...proformas.map(({ id }) => id));
  }
  const secondWorker = rig.newWorker();
  await secondWorker.start();
  await rig.rows(
    `update proforma_orders set expires_at = now() - interval '1 second', due_at = now() - interval '1 second'
     where id = any($1)`,
    [ids],
  );
  const countOpen = `select count(*)::int as count from proforma_orders where id = any($1) and status_id in (${OPEN_STATUSES.map(statusId).join(', ')})`;
  const end = Date.now() + 20_000;
  let openCount = ids.length;
  while (openCount > 0 && Date.now() < end) {
    await pause(100);
    openCount = (await rig.rows<{ count: number }>(countOpen, [ids]))[0]?.count ?? 0;
  }
  await secondWorker.signal('SIGKILL');
  for (const id of ids) rig.history.proformas.delete(id);
  return {
    breaches: openCount === 0 ? [] : [`${openCount} of ${DUE_PROFORMA_COUNT} are not expired`],
    note: `${DUE_PROFORMA_COUNT} proformas`,
  };
}
