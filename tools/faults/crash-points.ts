import { COUNTED_VARIANT, evaluate, recordProforma, recordPayments } from './load.js';
import type { ScenarioResult } from './scenario.js';
import type { Cut } from './proxy.js';
import type { Rig } from './rig.js';
import { COUNTED_CUSTOMERS, COUNTED_ORDERS, COUNTED_PIECES, END_LEASES } from './verify.query.js';

/** Upper limit for the messages that one write sends to the database. */
const MAX_MESSAGES = 30;
/**
 * A repeated call may wait until the lease of a dead run ends. A call shorter than `possible` has not waited, a call
 * longer than `certain` has waited, and no call may take longer than `max`.
 */
const KEY_WAIT_LIMITS_MS = { possible: 1_000, certain: 12_000, max: 22_000 };

interface Write {
  readonly name: string;
  /** Creates the needed records. Returns a function that sends the write and records its acknowledgement. */
  readonly prepare: (rig: Rig) => Promise<() => Promise<unknown>>;
}

/** Creates a proforma and runs the steps on it. Returns functions for the remaining actions. */
async function makeProforma(rig: Rig, ...steps: readonly ('pay' | 'confirm')[]) {
  const id = await evaluate(rig.caller, BASKET);
  const proforma = await rig.caller.mustSucceed('POST', '/proforma_orders', { order_processing_id: id });
  const acknowledged = recordProforma(rig.history, proforma);
  const path = `/proforma_orders/${proforma.id}`;
  const pay = async (amount: number): Promise<void> => {
    const payment = { payment_method_id: rig.bankTransferId, amount };
    recordPayments(acknowledged, await rig.caller.mustSucceed('POST', `${path}/pay`, { payment }));
  };
  const confirm = async (): Promise<void> => {
    await rig.caller.mustSucceed('POST', `${path}/warehouse_confirm`, {});
    acknowledged.isConfirmed = true;
  };
  const convert = async (): Promise<void> => {
    acknowledged.order = (await rig.caller.mustSucceed('POST', `${path}/convert`, {})).id;
  };
  const cancel = async (): Promise<void> => {
    await rig.caller.mustSucceed('DELETE', path, {});
    acknowledged.isCanceled = true;
  };
  if (steps.includes('pay')) await pay(0);
  if (steps.includes('confirm')) await confirm();
  return { pay, confirm, convert, cancel };
}

const BASKET = [{ code: 'V1', qty: 1 }];

const WRITES: readonly Write[] = [
  {
    name: 'create',
    prepare: async (rig) => {
      const id = await evaluate(rig.caller, BASKET);
      return async () =>
        recordProforma(
          rig.history,
          await rig.caller.mustSucceed('POST', '/proforma_orders', { order_processing_id: id }),
        );
    },
  },
  { name: 'evaluate', prepare: (rig) => Promise.resolve(() => evaluate(rig.caller, BASKET)) },
  {
    name: 'pay',
    prepare: async (rig) => {
      const { pay } = await makeProforma(rig);
      return () => pay(10);
    },
  },
  { name: 'confirm', prepare: async (rig) => (await makeProforma(rig)).confirm },
  { name: 'convert', prepare: async (rig) => (await makeProforma(rig, 'pay', 'confirm')).convert },
  { name: 'cancel', prepare: async (rig) => (await makeProforma(rig)).cancel },
  { name: 'cancel what is paid', prepare: async (rig) => (await makeProforma(rig, 'pay')).cancel },
  {
    name: 'stock',
    prepare: (rig) =>
      Promise.resolve(async () => {
        const stocks = [{ code: COUNTED_VARIANT, warehouse_code: 'W', qty: 1 }];
        await rig.caller.mustSucceed('PUT', '/int/stocks', { stocks });
        rig.history.countedPieces += 1;
      }),
  },
];

/**
 * Cuts the connection of every write at each message to and from the database. Repeats the write until its result is
 * known.
 */
export async function crashPoints(rig: Rig): Promise<ScenarioResult> {
  // Kills the worker, because the proxy could otherwise cut messages of the worker instead of the write.
  await rig.worker.signal('SIGKILL');
  try {
    const unkeyedBreaches = await cutWithoutKey(rig);
    return unkeyedBreaches.length > 0 ? { breaches: unkeyedBreaches } : await cutEverywhere(rig);
  } finally {
    await rig.worker.start();
  }
}

/** A write without an idempotency key, with a query that counts its records. */
interface UnkeyedWrite {
  readonly name: string;
  readonly attempt: (rig: Rig) => ReturnType<Rig['caller']['attempt']>;
  readonly count: (rig: Rig) => Promise<number>;
}

let customerCount = 0;
let orderCount = 0;

const UNKEYED_WRITES: readonly UnkeyedWrite[] = [
  {
    name: 'one piece, in a transaction',
    attempt: ({ caller }) =>
      caller.attempt('PUT', '/int/stocks', { stocks: [{ code: COUNTED_VARIANT, warehouse_code: 'W', qty: 1 }] }),
    count: async (rig) => {
      const [row] = await rig.rows<{ onHand: number }>(COUNTED_PIECES, [rig.caller.appId, COUNTED_VARIANT]);
      return Number(row?.onHand);
    },
  },
  {
    name: 'one customer, by a single statement',
    attempt: ({ caller }) => {
      customerCount += 1;
      const customer = { email: `cut-${customerCount}@example.com`, first_name: 'A', last_name: 'B', phone: '+381' };
      return caller.attempt('POST', '/customers', { customer });
    },
    count: async (rig) => {
      const [row] = await rig.rows<{ count: number }>(COUNTED_CUSTOMERS, [rig.caller.appId]);
      return Number(row?.count);
    },
  },
  {
    name: 'one order of another system, which is read after its transaction',
    attempt: ({ caller }) => {
      orderCount += 1;
      const items = [{ code: COUNTED_VARIANT, qty: 1, price: 1 }];
      return caller.attempt('POST', '/int/orders', { order: { external_ref: `cut-${orderCount}`, items } });
    },
    count: async (rig) => {
      const [row] = await rig.rows<{ count: number }>(COUNTED_ORDERS, [rig.caller.appId]);
      return Number(row?.count);
    },
  },
];

/** Cuts each unkeyed write at every message. The number of new records must agree with the answer. */
async function cutWithoutKey(rig: Rig): Promise<string[]> {
  const breaches: string[] = [];
  for (const { name, attempt, count } of UNKEYED_WRITES) {
    const initialCount = await count(rig);
    for (const side of SIDES) {
      const cutCount = await atEveryMessage(rig, async (message) => {
        const countBefore = await count(rig);
        rig.proxy.cutNext({ message, side });
        const status = (await attempt(rig))?.status ?? 500;
        const addedCount = (await count(rig)) - countBefore;
        const isConsistent = status < 300 ? addedCount === 1 : status === 503 ? addedCount === 0 : addedCount <= 1;
        if (!isConsistent) breaches.push(`${name}, ${side} ${message}: status ${status}, ${addedCount} records added`);
      });
      if (cutCount === undefined) breaches.push(`${name}: some messages were not cut`);
    }
    if ((await count(rig)) === initialCount) breaches.push(`${name}: nothing was written`);
    if (name === UNKEYED_WRITES[0]?.name) rig.history.countedPieces += (await count(rig)) - initialCount;
  }
  return breaches;
}

const SIDES: readonly Cut['side'][] = ['request', 'answer'];

/**
 * Cuts message 1, then message 2 and so on. Returns the number of messages; `undefined` when there are more than
 * `MAX_MESSAGES`.
 */
async function atEveryMessage(rig: Rig, cutMessage: (message: number) => Promise<void>): Promise<number | undefined> {
  for (let message = 1; message <= MAX_MESSAGES; message += 1) {
    await cutMessage(message);
    if (rig.proxy.endCut() < message) return message - 1;
  }
  return undefined;
}

async function cutEverywhere(rig: Rig): Promise<ScenarioResult> {
  let totalCuts = 0;
  let longestMs = 0;
  const measureCut = async (write: Write, point: Cut): Promise<void> => {
    // The lease of a dead run ends after many seconds. The scenario waits for this once, then ends each lease early.
    const elapsedMs = await cutAt(rig, write, point, { endsLeases: longestMs > KEY_WAIT_LIMITS_MS.certain });
    longestMs = Math.max(longestMs, elapsedMs);
  };
  for (const write of WRITES) {
    for (const side of SIDES) {
      try {
        const cutCount = await atEveryMessage(rig, (message) => measureCut(write, { message, side }));
        if (cutCount === undefined) throw new Error(`${write.name}: some messages were not cut`);
        totalCuts += cutCount;
      } catch (error) {
        // The result of this write stays unknown, so comparing the records with the history would be meaningless.
        return { breaches: [(error as Error).message], note: `${totalCuts} cuts` };
      }
    }
  }
  const breaches = [
    ...(longestMs > KEY_WAIT_LIMITS_MS.certain ? [] : ['no run died while it held its key']),
    ...(longestMs > KEY_WAIT_LIMITS_MS.max ? ['the key of a dead run was kept for too long'] : []),
  ];
  return { breaches, note: `${totalCuts} cuts, ${Math.round(longestMs / 1_000)} s at most` };
}

/**
 * Cuts one message of a write. Returns the milliseconds until the result was known. `endsLeases` ends the lease of a
 * dead run early.
 */
async function cutAt(rig: Rig, { name, prepare }: Write, cut: Cut, { endsLeases = false }): Promise<number> {
  const write = await prepare(rig);
  rig.proxy.cutNext(cut);
  const startMs = performance.now();
  // A failed statement is harmless, because the lease expires without it.
  const endLeases = (): void => void rig.rows(END_LEASES).catch(() => {});
  const timer = endsLeases ? setTimeout(endLeases, KEY_WAIT_LIMITS_MS.possible) : undefined;
  try {
    await write();
    return performance.now() - startMs;
  } catch (error) {
    throw new Error(`${name}, ${cut.side} ${cut.message}: ${(error as Error).message}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
