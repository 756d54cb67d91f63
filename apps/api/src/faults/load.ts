import { createHash, randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Caller, Data } from './caller.js';

/** Acknowledged facts of a proforma. */
export interface Known {
  readonly number: string;
  order?: number;
  payments: number;
  /** Received cents, without refunds subtracted. */
  received: number;
  isConfirmed?: boolean;
  isCanceled?: boolean;
}

/** Acknowledged writes, which the stored records are compared with. */
export interface History {
  /** Pieces added to the variant `COUNTED`. */
  counted: number;
  /** By id. */
  readonly proformas: Map<number, Known>;
  /** SHA-256 of the content, by file. */
  readonly files: Map<number, string>;
  /** State and number of changes by channel. */
  readonly consents: Map<string, { readonly state: string; readonly changes: number }>;
  /** Completed jobs of the clients. */
  flows: number;
  /** Answers that contradict each other or the rules. */
  readonly contradictions: string[];
}

export const VARIANTS = 12;
export const COUNTED = 'COUNTED';
const STOCK = 1_000_000;
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
  counted: 0,
  proformas: new Map(),
  files: new Map(),
  consents: new Map(),
  flows: 0,
  contradictions: [],
});

export interface Callers {
  readonly shop: Caller;
  readonly customer: Caller;
}

/** Stocks the shop; returns the id of the bank transfer method. */
export async function openShop(caller: Caller): Promise<number> {
  const warehouse = { name: 'W', address_line_1: 'Put 1', city: 'Beograd', postcode: '11000', market_id: 1 };
  await caller.mustSettle('PUT', '/warehouse', { warehouses: [{ code: 'W', ...warehouse }] });
  const codes = [...Array.from({ length: VARIANTS }, (_, index) => `V${index}`), COUNTED];
  const products = codes.map((code) => ({ code, name: code, price: 100, vat_rate: 20, variants: [{ code }] }));
  await caller.mustSettle('POST', '/int/products', { products });
  const stocks = codes.filter((code) => code !== COUNTED).map((code) => ({ code, warehouse_code: 'W', qty: STOCK }));
  await caller.mustSettle('PUT', '/int/stocks', { stocks });
  const methods = (await caller.mustSettle('GET', '/payment_methods')) as unknown as { id: number; code: string }[];
  return methods.find(({ code }) => code === 'bank_transfer')?.id ?? 0;
}

export async function evaluation(caller: Caller, items: readonly object[]): Promise<number> {
  const order = { items, guest: GUEST };
  return (await caller.mustSettle('POST', '/order_processings', { order_processing: order })).id;
}

/** Clients that work until `stop`. */
export class Load {
  private isOver = false;
  private readonly clients: Promise<void>[];

  constructor({ shop, customer }: Callers, bank: number, history: History, clients: number) {
    const jobs = [
      () => sell(shop, history, bank),
      () => sell(shop, history, bank),
      () => count(shop, history),
      () => upload(shop, history),
      () => consent(customer, history),
    ];
    this.clients = Array.from({ length: clients }, async (_, index) => {
      try {
        while (!this.isOver) {
          await jobs[index % jobs.length]?.();
          history.flows += 1;
        }
      } catch (error) {
        history.contradictions.push((error as Error).message);
      }
    });
  }

  /** Lets every client finish its current job. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
  }
}

/** Sells a basket completely, partly or with a cancellation. */
async function sell(caller: Caller, history: History, bank: number): Promise<void> {
  const codes = new Set(Array.from({ length: 3 }, () => `V${randomInt(VARIANTS)}`));
  const items = [...codes].map((code) => ({ code, qty: 2 }));
  const made = await caller.mustSettle('POST', '/proforma_orders', {
    order_processing_id: await evaluation(caller, items),
  });
  const known = remember(history, made);
  const path = `/proforma_orders/${made.id}`;
  const draw = randomInt(10);
  if (draw === 0) return;
  const payment = { payment_method_id: bank, amount: draw === 1 ? 50 : 0 };
  const paid = await caller.mustSettle('POST', `${path}/pay`, { payment });
  rememberPayments(known, paid);
  if (draw <= 2) {
    await caller.mustSettle('DELETE', path);
    known.isCanceled = true;
    return;
  }
  const isPartial = draw <= 4;
  await caller.mustSettle('POST', `${path}/warehouse_confirm`, {
    ...(isPartial && {
      adjustments: made.items.map((line) => ({
        proforma_order_item_id: line.proforma_order_item_id,
        qty_confirmed: 1,
      })),
    }),
  });
  known.isConfirmed = true;
  // Two users convert at the same moment.
  const orders = await Promise.all([1, 2].map(() => caller.mustSettle('POST', `${path}/convert`, {})));
  const [one, other] = orders.map(({ id }) => id);
  if (one !== other) history.contradictions.push(`proforma ${made.id} became the orders ${one} and ${other}`);
  if (one !== undefined) known.order = one;
}

export function remember({ proformas }: History, { id, proforma_number: number }: Data): Known {
  const known: Known = { number, payments: 0, received: 0 };
  proformas.set(id, known);
  return known;
}

export function rememberPayments(known: Known, { payments }: Data): void {
  known.payments = payments.length;
  known.received = payments.reduce((sum, { amount }) => sum + Math.max(0, Math.round(amount * 100)), 0);
}

async function count(caller: Caller, history: History): Promise<void> {
  const qty = 1 + randomInt(9);
  await caller.mustSettle('PUT', '/int/stocks', { stocks: [{ code: COUNTED, warehouse_code: 'W', qty }] });
  history.counted += qty;
  await pause(20);
}

let files = 0;
async function upload(caller: Caller, history: History): Promise<void> {
  files += 1;
  const words = `file ${files} ${'of many words '.repeat(200)}`;
  const form = new FormData();
  form.set('file', new Blob([words]), `file-${process.pid}-${files}.txt`);
  const file = await caller.mustSettle('POST', '/cdn/files', form);
  history.files.set(file.id, createHash('sha256').update(words).digest('hex'));
  await pause(50);
}

/** Switches two channels at once, each to its other state. */
async function consent(caller: Caller, { consents }: History): Promise<void> {
  const turn = async (channel: string): Promise<void> => {
    const { state: old, changes } = consents.get(channel) ?? { state: 'granted', changes: 0 };
    const state = old === 'granted' ? 'revoked' : 'granted';
    await caller.mustSettle('PUT', '/customer/consent', { channel, state });
    consents.set(channel, { state, changes: changes + 1 });
  };
  await Promise.all([turn('email'), turn('sms')]);
  await pause(20);
}

/** Creates a customer; returns a session token. */
export async function signIn(shop: Caller): Promise<string> {
  const person = { email: 'mira@example.com', first_name: 'Mira', last_name: 'Marić', phone: '+381' };
  const { id, data_part, time_part } = await shop.mustSettle('POST', '/customers', { customer: person });
  const session = { device: { uuid: 'device' }, customer_id: id, data_part, time_part };
  return (await shop.mustSettle('POST', '/sessions', { session })).access_token;
}
