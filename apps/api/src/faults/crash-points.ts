import { COUNTED, evaluation, remember, rememberPayments } from './load.js';
import type { Outcome } from './scenario.js';
import type { Cut } from './proxy.js';
import type { Rig } from './rig.js';
import { COUNTED_CUSTOMERS, COUNTED_PIECES, END_LEASES } from './verify.query.js';

/** More than any write sends: one that came so far would not have been cut everywhere. */
const MOST_MESSAGES = 30;
/** Whoever has no answer by now may well wait for the key of a run that is dead, and after so long does; but not longer. */
const WAITS_MS = { perhaps: 1_000, surely: 12_000, most: 22_000 };

interface Write {
  readonly name: string;
  /** Makes what is to be written to, and answers how it is written and remembered. */
  readonly prepare: (rig: Rig) => Promise<() => Promise<unknown>>;
}

/** A proforma that the clients know of, as far on its way as `steps` bring it. */
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

/** Every write, cut at each message it sends to the database and at each answer to one, and asked again until it is known. */
export async function crashPoints(rig: Rig): Promise<Outcome> {
  // The background would be cut in place of the call.
  await rig.worker.signal('SIGKILL');
  try {
    const unkeyed = await cutWithoutKey(rig);
    return unkeyed.length > 0 ? { breaches: unkeyed } : await cutEverywhere(rig);
  } finally {
    await rig.worker.start();
  }
}

/** What is written without a key, once: how it is asked for, and how many there are. */
interface Unkeyed {
  readonly name: string;
  readonly ask: (rig: Rig) => ReturnType<Rig['caller']['attempt']>;
  readonly count: (rig: Rig) => Promise<number>;
}

let customers = 0;

const UNKEYED: readonly Unkeyed[] = [
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

/** Asked once, without a key: done once or not at all, whatever is cut; done when it says so, and not done when it says that. */
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

/** How often it was cut; `undefined` when there were still messages behind the last one. */
async function atEveryMessage(rig: Rig, cut: (message: number) => Promise<void>): Promise<number | undefined> {
  for (let message = 1; message <= MOST_MESSAGES; message += 1) {
    await cut(message);
    if (rig.proxy.messages() < message) return message - 1;
  }
  return undefined;
}

async function cutEverywhere(rig: Rig): Promise<Outcome> {
  let cuts = 0;
  let longestMs = 0;
  const cut = async (write: Write, place: Cut): Promise<void> => {
    // A call whose key was taken by a run that has died waits for the end of its lease: once is enough to see it.
    const tookMs = await cutAt(rig, write, place, { isHurried: longestMs > WAITS_MS.surely });
    longestMs = Math.max(longestMs, tookMs);
  };
  for (const write of WRITES) {
    for (const side of SIDES) {
      try {
        const times = await atEveryMessage(rig, (message) => cut(write, { message, side }));
        if (times === undefined) throw new Error(`${write.name} is not cut everywhere`);
        cuts += times;
      } catch (error) {
        // What the clients do not know to be done is in no books any more.
        return { breaches: [(error as Error).message], note: `${cuts} cuts` };
      }
    }
  }
  const breaches = [
    ...(longestMs > WAITS_MS.surely ? [] : ['no run has died with its key']),
    ...(longestMs > WAITS_MS.most ? ['the key of a dead run was kept for too long'] : []),
  ];
  return { breaches, note: `${cuts} cuts, ${Math.round(longestMs / 1_000)} s at most` };
}

/** Answers how long the write took to be known, in ms. */
async function cutAt(rig: Rig, { name, prepare }: Write, cut: Cut, { isHurried = false }): Promise<number> {
  const write = await prepare(rig);
  rig.proxy.cutAt(cut);
  const begun = performance.now();
  // Should that fail, the lease ends by itself.
  const hurry = (): void => void rig.rows(END_LEASES).catch(() => {});
  const timer = isHurried ? setTimeout(hurry, WAITS_MS.perhaps) : undefined;
  try {
    await write();
    return performance.now() - begun;
  } catch (error) {
    throw new Error(`${name}, ${cut.side} ${cut.message}: ${(error as Error).message}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
