import { createHash, randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Caller, type Data } from './caller.js';

export interface AcknowledgedProforma {
  readonly number: string;
  order?: number;
  payments: number;
  /** Received amount in cents, without subtracting refunds. */
  received: number;
  isConfirmed?: boolean;
  isCanceled?: boolean;
}

/** Writes that the service has acknowledged; `verify` compares them with the stored records. */
export interface History {
  /** Number of pieces added to the variant `COUNTED_VARIANT`. */
  countedPieces: number;
  /** Acknowledged proformas by id. */
  readonly proformas: Map<number, AcknowledgedProforma>;
  /** SHA-256 of the content of each file, by file id. */
  readonly files: Map<number, string>;
  /** State and number of changes of each channel. */
  readonly consents: Map<string, { readonly state: string; readonly changes: number }>;
  completedJobs: number;
  readonly contradictions: string[];
}

export const VARIANT_COUNT = 12;
export const COUNTED_VARIANT = 'COUNTED';
const INITIAL_STOCK = 1_000_000;
const GUEST = {
  email: 'ana@example.com',
  first_name: 'Ana',
  last_name: 'Jović',
  phone: '1',
  address_line_1: 'Bulevar 1',
  city: 'Novi Sad',
  postcode: '21000',
};

export const newHistory = (): History => ({
  countedPieces: 0,
  proformas: new Map(),
  files: new Map(),
  consents: new Map(),
  completedJobs: 0,
  contradictions: [],
});

export interface Callers {
  readonly shop: Caller;
  readonly customer: Caller;
}

/** Fills the shop with products and stock. Returns the id of the payment method for bank transfers. */
export async function openShop(caller: Caller): Promise<number> {
  const warehouse = { name: 'W', address_line_1: 'Put 1', city: 'Beograd', postcode: '11000', market_id: 1 };
  await caller.mustSucceed('PUT', '/warehouse', { warehouses: [{ code: 'W', ...warehouse }] });
  const codes = [...Array.from({ length: VARIANT_COUNT }, (_, index) => `V${index}`), COUNTED_VARIANT];
  const products = codes.map((code) => ({ code, name: code, price: 100, vat_rate: 20, variants: [{ code }] }));
  await caller.mustSucceed('POST', '/int/products', { products });
  const stocks = codes
    .filter((code) => code !== COUNTED_VARIANT)
    .map((code) => ({ code, warehouse_code: 'W', qty: INITIAL_STOCK }));
  await caller.mustSucceed('PUT', '/int/stocks', { stocks });
  const methods = (await caller.mustSucceed('GET', '/payment_methods')) as unknown as { id: number; code: string }[];
  return methods.find(({ code }) => code === 'bank_transfer')?.id ?? 0;
}

export async function evaluate(caller: Caller, items: readonly object[]): Promise<number> {
  const order = { items, guest: GUEST };
  return (await caller.mustSucceed('POST', '/order_processings', { order_processing: order })).id;
}

/** Runs clients that execute jobs in a loop until `stop` is called. */
export class Load {
  private isStopped = false;
  private readonly clients: Promise<void>[];

  constructor({ shop, customer }: Callers, bankTransferId: number, history: History, clients: number) {
    const jobs = [
      () => sell(shop, history, bankTransferId),
      () => sell(shop, history, bankTransferId),
      () => countPieces(shop, history),
      () => uploadFile(shop, history),
      () => switchConsents(customer, history),
    ];
    this.clients = Array.from({ length: clients }, async (_, index) => {
      try {
        while (!this.isStopped) {
          await jobs[index % jobs.length]?.();
          history.completedJobs += 1;
        }
      } catch (error) {
        history.contradictions.push((error as Error).message);
      }
    });
  }

  /** Waits until every client has finished its current job. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.clients);
  }
}

/** Sells a basket: fully paid, partly paid or canceled. */
async function sell(caller: Caller, history: History, bankTransferId: number): Promise<void> {
  const codes = new Set(Array.from({ length: 3 }, () => `V${randomInt(VARIANT_COUNT)}`));
  const items = [...codes].map((code) => ({ code, qty: 2 }));
  const proforma = await caller.mustSucceed('POST', '/proforma_orders', {
    order_processing_id: await evaluate(caller, items),
  });
  const acknowledged = recordProforma(history, proforma);
  const path = `/proforma_orders/${proforma.id}`;
  const choice = randomInt(10);
  if (choice === 0) return;
  const payment = { payment_method_id: bankTransferId, amount: choice === 1 ? 50 : 0 };
  const paidProforma = await caller.mustSucceed('POST', `${path}/pay`, { payment });
  recordPayments(acknowledged, paidProforma);
  if (choice <= 2) {
    await caller.mustSucceed('DELETE', path);
    acknowledged.isCanceled = true;
    return;
  }
  const isPartial = choice <= 4;
  await caller.mustSucceed('POST', `${path}/warehouse_confirm`, {
    ...(isPartial && {
      adjustments: proforma.items.map((line) => ({
        proforma_order_item_id: line.proforma_order_item_id,
        qty_confirmed: 1,
      })),
    }),
  });
  acknowledged.isConfirmed = true;
  // Two concurrent calls convert the proforma, as two users would.
  const orders = await Promise.all([1, 2].map(() => caller.mustSucceed('POST', `${path}/convert`, {})));
  const [firstOrder, secondOrder] = orders.map(({ id }) => id);
  if (firstOrder !== secondOrder)
    history.contradictions.push(`proforma ${proforma.id} became the orders ${firstOrder} and ${secondOrder}`);
  if (firstOrder !== undefined) acknowledged.order = firstOrder;
}

export function recordProforma({ proformas }: History, { id, proforma_number: number }: Data): AcknowledgedProforma {
  const acknowledged: AcknowledgedProforma = { number, payments: 0, received: 0 };
  proformas.set(id, acknowledged);
  return acknowledged;
}

export function recordPayments(acknowledged: AcknowledgedProforma, { payments }: Data): void {
  acknowledged.payments = payments.length;
  acknowledged.received = payments.reduce((sum, { amount }) => sum + Math.max(0, Math.round(amount * 100)), 0);
}

async function countPieces(caller: Caller, history: History): Promise<void> {
  const qty = 1 + randomInt(9);
  await caller.mustSucceed('PUT', '/int/stocks', { stocks: [{ code: COUNTED_VARIANT, warehouse_code: 'W', qty }] });
  history.countedPieces += qty;
  await pause(20);
}

let fileCount = 0;
async function uploadFile(caller: Caller, history: History): Promise<void> {
  fileCount += 1;
  const content = `file ${fileCount} ${'of many words '.repeat(200)}`;
  const form = new FormData();
  form.set('file', new Blob([content]), `file-${process.pid}-${fileCount}.txt`);
  const file = await caller.mustSucceed('POST', '/cdn/files', form);
  history.files.set(file.id, createHash('sha256').update(content).digest('hex'));
  await pause(50);
}

async function switchConsents(caller: Caller, { consents }: History): Promise<void> {
  const switchChannel = async (channel: string): Promise<void> => {
    const { state: oldState, changes } = consents.get(channel) ?? { state: 'granted', changes: 0 };
    const state = oldState === 'granted' ? 'revoked' : 'granted';
    await caller.mustSucceed('PUT', '/customer/consent', { channel, state });
    consents.set(channel, { state, changes: changes + 1 });
  };
  await Promise.all([switchChannel('email'), switchChannel('sms')]);
  await pause(20);
}

/** Creates a customer and returns a session token. */
export async function signIn(shop: Caller): Promise<string> {
  const customer = { email: 'mira@example.com', first_name: 'Mira', last_name: 'Marić', phone: '+381' };
  const { id, data_part, time_part } = await shop.mustSucceed('POST', '/customers', { customer });
  const session = { device: { uuid: 'device' }, customer_id: id, data_part, time_part };
  return (await shop.mustSucceed('POST', '/sessions', { session })).access_token;
}
