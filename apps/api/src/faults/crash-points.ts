import { COUNTED, evaluation, remember, rememberPayments } from './load.js';
import type { Outcome } from './scenario.js';
import type { Cut } from './proxy.js';
import type { Rig } from './rig.js';
import { COUNTED_CUSTOMERS, COUNTED_PIECES, END_LEASES } from './verify.query.js';

/** More messages than any write sends. */
const MAX_MESSAGES = 30;
/** A call may, must or must no longer be waiting for the key of a dead run after this time. */
const KEY_WAIT_MS = { possible: 1_000, certain: 12_000, max: 22_000 };

interface Write {
  readonly name: string;
  /** Creates the records; returns the write, which also notes its acknowledgement. */
  readonly prepare: (rig: Rig) => Promise<() => Promise<unknown>>;
}

/** Creates a proforma, runs the steps and returns the further actions. */
async function proforma(rig: Rig, ...steps: readonly ('pay' | 'confirm')[]) {
  const id = await evaluation(rig.caller, BASKET);
  const made = await rig.caller.mustSettle('POST', '/proforma_orders', { order_processing_id: id });
  const known = remember(rig.history, made);
  const path = `/proforma_orders/${made.id}`;
  const pay = async (amount: number): Promise<void> => {
    const payment = { payment_method_id: rig.bank, amount };
    rememberPayments(known, await rig.caller.mustSettle('POST', `${path}/pay`, { payment }));
  };
  const confirm = async (): Promise<void> => {
    await rig.caller.mustSettle('POST', `${path}/warehouse_confirm`, {});
    known.isConfirmed = true;
  };
  const convert = async (): Promise<void> => {
    known.order = (await rig.caller.mustSettle('POST', `${path}/convert`, {})).id;
  };
  const cancel = async (): Promise<void> => {
    await rig.caller.mustSettle('DELETE', path, {});
    known.isCanceled = true;
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
      const id = await evaluation(rig.caller, BASKET);
      return async () =>
        remember(rig.history, await rig.caller.mustSettle('POST', '/proforma_orders', { order_processing_id: id }));
    },
  },
  { name: 'evaluate', prepare: (rig) => Promise.resolve(() => evaluation(rig.caller, BASKET)) },
  {
    name: 'pay',
    prepare: async (rig) => {
      const { pay } = await proforma(rig);
      return () => pay(10);
    },
  },
  { name: 'confirm', prepare: async (rig) => (await proforma(rig)).confirm },
  { name: 'convert', prepare: async (rig) => (await proforma(rig, 'pay', 'confirm')).convert },
  { name: 'cancel', prepare: async (rig) => (await proforma(rig)).cancel },
  { name: 'cancel what is paid', prepare: async (rig) => (await proforma(rig, 'pay')).cancel },
  {
    name: 'stock',
    prepare: (rig) =>
      Promise.resolve(async () => {
        const stocks = [{ code: COUNTED, warehouse_code: 'W', qty: 1 }];
        await rig.caller.mustSettle('PUT', '/int/stocks', { stocks });
        rig.history.counted += 1;
      }),
  },
];

/** Cuts every write at each database message and answer, and repeats it until its result is known. */
export async function crashPoints(rig: Rig): Promise<Outcome> {
  // Messages of the worker would be cut instead.
  await rig.worker.signal('SIGKILL');
  try {
    const unkeyed = await cutWithoutKey(rig);
    return unkeyed.length > 0 ? { breaches: unkeyed } : await cutEverywhere(rig);
  } finally {
    await rig.worker.start();
  }
}

/** A write without a key, and the count of its records. */
interface UnkeyedWrite {
  readonly name: string;
  readonly ask: (rig: Rig) => ReturnType<Rig['caller']['attempt']>;
  readonly count: (rig: Rig) => Promise<number>;
}

let customers = 0;

const UNKEYED: readonly UnkeyedWrite[] = [
  {
    name: 'one piece, in a transaction',
    ask: ({ caller }) =>
      caller.attempt('PUT', '/int/stocks', { stocks: [{ code: COUNTED, warehouse_code: 'W', qty: 1 }] }),
    count: async (rig) => {
      const [row] = await rig.rows<{ onHand: number }>(COUNTED_PIECES, [rig.caller.appId, COUNTED]);
      return Number(row?.onHand);
    },
  },
  {
    name: 'one customer, by a single statement',
    ask: ({ caller }) => {
      customers += 1;
      const customer = { email: `cut-${customers}@example.com`, first_name: 'A', last_name: 'B', phone: '+381' };
      return caller.attempt('POST', '/customers', { customer });
    },
    count: async (rig) => {
      const [row] = await rig.rows<{ count: number }>(COUNTED_CUSTOMERS, [rig.caller.appId]);
      return Number(row?.count);
    },
  },
];

/** Sends each call once without a key. The number of records must match the answer. */
async function cutWithoutKey(rig: Rig): Promise<string[]> {
  const breaches: string[] = [];
  for (const { name, ask, count } of UNKEYED) {
    const begun = await count(rig);
    for (const side of SIDES) {
      const times = await atEveryMessage(rig, async (message) => {
        const before = await count(rig);
        rig.proxy.cutAt({ message, side });
        const status = (await ask(rig))?.status ?? 500;
        const added = (await count(rig)) - before;
        const isRight = status < 300 ? added === 1 : status === 503 ? added === 0 : added <= 1;
        if (!isRight) breaches.push(`${name}, ${side} ${message}: answered ${status}, ${added} are added`);
      });
      if (times === undefined) breaches.push(`${name}: it is not cut everywhere`);
    }
    if (name === UNKEYED[0]?.name) rig.history.counted += (await count(rig)) - begun;
  }
  return breaches;
}

const SIDES: readonly Cut['side'][] = ['asked', 'answered'];

/** Number of cuts; `undefined` when messages were left after the last one. */
async function atEveryMessage(rig: Rig, cut: (message: number) => Promise<void>): Promise<number | undefined> {
  for (let message = 1; message <= MAX_MESSAGES; message += 1) {
    await cut(message);
    if (rig.proxy.messages() < message) return message - 1;
  }
  return undefined;
}

async function cutEverywhere(rig: Rig): Promise<Outcome> {
  let cuts = 0;
  let longestMs = 0;
  const cut = async (write: Write, point: Cut): Promise<void> => {
    // Waiting for the lease of a dead run once is enough; later leases are ended early.
    const tookMs = await cutAt(rig, write, point, { endsLeases: longestMs > KEY_WAIT_MS.certain });
    longestMs = Math.max(longestMs, tookMs);
  };
  for (const write of WRITES) {
    for (const side of SIDES) {
      try {
        const times = await atEveryMessage(rig, (message) => cut(write, { message, side }));
        if (times === undefined) throw new Error(`${write.name} is not cut everywhere`);
        cuts += times;
      } catch (error) {
        // The history is incomplete after an unknown result.
        return { breaches: [(error as Error).message], note: `${cuts} cuts` };
      }
    }
  }
  const breaches = [
    ...(longestMs > KEY_WAIT_MS.certain ? [] : ['no run died with its key']),
    ...(longestMs > KEY_WAIT_MS.max ? ['the key of a dead run was kept for too long'] : []),
  ];
  return { breaches, note: `${cuts} cuts, ${Math.round(longestMs / 1_000)} s at most` };
}

/** Returns the milliseconds until the result was known. */
async function cutAt(rig: Rig, { name, prepare }: Write, cut: Cut, { endsLeases = false }): Promise<number> {
  const write = await prepare(rig);
  rig.proxy.cutAt(cut);
  const started = performance.now();
  // If this fails, the lease ends by itself.
  const endLeases = (): void => void rig.rows(END_LEASES).catch(() => {});
  const timer = endsLeases ? setTimeout(endLeases, KEY_WAIT_MS.possible) : undefined;
  try {
    await write();
    return performance.now() - started;
  } catch (error) {
    throw new Error(`${name}, ${cut.side} ${cut.message}: ${(error as Error).message}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
