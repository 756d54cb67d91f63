import { randomInt } from 'node:crypto';
import { call } from './load.js';
import type { NewApp } from '../../apps/api/src/runtime/with-apps.js';

interface LifecycleOptions {
  /** The catalogue has the codes `P1` to `P<variantCount>`. */
  readonly variantCount: number;
  readonly bankTransferId: number;
}

/** Runs evaluation → create → pay → confirm → convert on the service: five calls. */
export async function runLifecycle(
  origin: string,
  { token }: NewApp,
  { variantCount, bankTransferId }: LifecycleOptions,
): Promise<void> {
  const base = `${origin}/api/v2`;
  const items = randomBasket(variantCount).map((code) => ({ code, qty: 1 }));
  const guest = { email: 'ana@example.com', first_name: 'Ana', last_name: 'Jović', phone: '1' };
  const address = { address_line_1: 'Bulevar 1', city: 'Novi Sad', postcode: '21000' };
  const order = { items, guest: { ...guest, ...address } };
  const { id: evaluation } = await call(`${base}/order_processings`, token, { order_processing: order });
  const { id } = await call(`${base}/proforma_orders`, token, { order_processing_id: evaluation });
  const path = `${base}/proforma_orders/${String(id)}`;
  await call(`${path}/pay`, token, { payment: { payment_method_id: bankTransferId, amount: 0 } });
  await call(`${path}/warehouse_confirm`, token, {});
  await call(`${path}/convert`, token, {});
}

/** A floor cannot retry after a number conflict, so a counter makes its numbers unique. */
let floorRuns = 0;

/** Runs the same five calls on the bare server or on the naive service. */
export async function runFloorLifecycle(
  origin: string,
  { id: app, token }: NewApp,
  { variantCount }: Pick<LifecycleOptions, 'variantCount'>,
): Promise<void> {
  const { id: evaluation } = await call(`${origin}/evaluate`, token, [app, randomBasket(variantCount)]);
  floorRuns += 1;
  const { id } = await call(`${origin}/create`, token, [app, evaluation, `F-${floorRuns}`]);
  for (const step of ['pay', 'confirm', 'convert']) await call(`${origin}/${step}`, token, [app, id]);
}

function randomBasket(variantCount: number): string[] {
  return [...new Set(Array.from({ length: 3 }, () => `P${randomInt(variantCount) + 1}`))];
}
