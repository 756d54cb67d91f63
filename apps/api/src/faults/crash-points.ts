import { UNKNOWN } from './caller.js';
import { COUNTED, evaluation, remember, rememberPayments } from './load.js';
import type { Outcome } from './scenario.js';
import type { Rig } from './rig.js';
import { COUNTED_PIECES } from './verify.query.js';

const MOST_MESSAGES = 15;

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
  const confirm = () => rig.caller.mustSettle('POST', `${path}/warehouse_confirm`, {});
  const convert = async (): Promise<void> => {
    known.order = (await rig.caller.mustSettle('POST', `${path}/convert`, {})).id;
  };
  const cancel = () => rig.caller.mustSettle('DELETE', path, {});
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

/** Asked once, without a key: done once or not at all, whatever is cut; and done, when it says so. */
async function cutWithoutKey(rig: Rig): Promise<string[]> {
  const stocks = [{ code: COUNTED, warehouse_code: 'W', qty: 1 }];
  const pieces = async (): Promise<number> => {
    const [row] = await rig.rows<{ onHand: number }>(COUNTED_PIECES, [rig.caller.appId, COUNTED]);
    return Number(row?.onHand);
  };
  const breaches: string[] = [];
  for (const side of ['asked', 'answered'] as const) {
    for (let message = 1; message <= MOST_MESSAGES; message += 1) {
      const before = await pieces();
      rig.proxy.cutAt({ message, side });
      const answer = await rig.caller.ask('PUT', '/int/stocks', { stocks });
      const added = (await pieces()) - before;
      rig.history.counted += added;
      const isAdded = answer !== UNKNOWN && answer.status === 200;
      if (added > 1 || (isAdded && added !== 1)) breaches.push(`one piece, ${side} ${message}: ${added} are added`);
      if (rig.proxy.messages() < message) break;
    }
  }
  return breaches;
}

async function cutEverywhere(rig: Rig): Promise<Outcome> {
  let cuts = 0;
  for (const [index, { name, prepare }] of WRITES.entries()) {
    for (const side of ['asked', 'answered'] as const) {
      // A call whose key was taken by a run that has died waits for the end of its lease: once is enough to see it.
      const first = index > 0 && side === 'answered' ? 2 : 1;
      for (let message = first; message <= MOST_MESSAGES; message += 1) {
        const write = await prepare(rig);
        rig.proxy.cutAt({ message, side });
        try {
          await write();
        } catch (error) {
          return { breaches: [`${name}, ${side} ${message}: ${(error as Error).message}`], note: `${cuts} cuts` };
        }
        if (rig.proxy.messages() < message) break;
        cuts += 1;
      }
    }
  }
  return { note: `${cuts} cuts` };
}
