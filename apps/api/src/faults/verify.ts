import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { COUNTED, type History } from './load.js';
import type { Rig } from './rig.js';
import {
  CONSENTS,
  COUNTED_PIECES,
  MAKE_DUE,
  OVERPAID,
  OVERSOLD,
  PENDING_WORK,
  PROFORMAS,
  REFUNDED_AMOUNT,
} from './verify.query.js';

const SETTLE_MS = 30_000;

/** Waits for background work, then checks the rules and every acknowledged write. Returns the breaches. */
export async function verify(rig: Rig, timeoutMs = SETTLE_MS): Promise<string[]> {
  const breaches = await settled(rig, timeoutMs);
  breaches.push(...(await rig.brokenRules()), ...(await lostWrites(rig)), ...(await acknowledgedFiles(rig)));
  for (const each of [...rig.apis, rig.worker]) {
    breaches.push(...each.bugs());
    if (!each.isRunning) breaches.push(`a process ended unexpectedly: ${each.output.slice(-300)}`);
  }
  breaches.push(...rig.history.contradictions.splice(0));
  return breaches;
}

/** Makes pending work due and waits for it; returns what is left after the timeout. */
export async function settled(rig: Rig, timeoutMs = SETTLE_MS): Promise<string[]> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const [row] = await rig.rows<{ pending: string }>(PENDING_WORK);
    if (Number(row?.pending) === 0) return [];
    if (Date.now() > end) return [`${row?.pending} refunds or files stay pending`];
    for (const statement of MAKE_DUE) await rig.rows(statement);
    await pause(200);
  }
}

async function lostWrites(rig: Rig): Promise<string[]> {
  const { history, caller, gateway } = rig;
  const rows = await rig.rows<StoredProforma>(PROFORMAS, [caller.appId]);
  const stored = new Map(rows.map((row) => [Number(row.id), row]));
  const lost = [...history.proformas].filter(([id, known]) => {
    const row = stored.get(id);
    const isSame = row?.number === known.number && (known.order === undefined || Number(row.order) === known.order);
    const hasSameProgress =
      row?.isConfirmed === (known.isConfirmed ?? false) && row.isCanceled === (known.isCanceled ?? false);
    return !isSame || !hasSameProgress || row.payments < known.payments || row.received !== known.received;
  });
  const [counted] = await rig.rows<{ onHand: string }>(COUNTED_PIECES, [caller.appId, COUNTED]);
  const [refunded] = await rig.rows<{ amount: string }>(REFUNDED_AMOUNT);
  const paidOut = [...gateway.books.values()].reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
  const consents = await rig.rows<Consented>(CONSENTS, [caller.appId]);
  const oversold = await rig.rows<object>(OVERSOLD);
  const overpaid = await rig.rows<object>(OVERPAID);
  return [
    ...lost.map(
      ([id, known]) =>
        `proforma ${id}: ${JSON.stringify(known)} was acknowledged, ${JSON.stringify(stored.get(id))} is stored`,
    ),
    ...(Number(counted?.onHand) === history.counted
      ? []
      : [`${history.counted} pieces were counted, ${counted?.onHand} are stored`]),
    ...(Number(refunded?.amount) === paidOut
      ? []
      : [`${refunded?.amount} were refunded, the payment service paid ${paidOut}`]),
    ...consentBreaches(history.consents, consents),
    ...oversold.map((row) => `oversold: ${JSON.stringify(row)}`),
    ...overpaid.map((row) => `overpaid: ${JSON.stringify(row)}`),
  ];
}

interface StoredProforma {
  readonly id: string;
  readonly number: string;
  readonly order: string | null;
  readonly payments: number;
  readonly received: number;
  readonly isConfirmed: boolean;
  readonly isCanceled: boolean;
}

interface Consented {
  readonly channel: string;
  readonly changes: number;
  readonly state: string;
}

function consentBreaches(known: History['consents'], stored: readonly Consented[]): string[] {
  return [...known].flatMap(([channel, { state, changes }]) => {
    const found = stored.find((row) => row.channel === channel);
    if (found?.state === state && found.changes === changes) return [];
    return [`${channel} was left ${state} after ${changes} changes, ${JSON.stringify(found)} is stored`];
  });
}

async function acknowledgedFiles(rig: Rig): Promise<string[]> {
  const broken: string[] = [];
  for (const [id, hash] of rig.history.files) {
    const file = await rig.caller.ask('GET', `/cdn/files/${id}`);
    if (file === 'unknown' || file.status !== 200) {
      broken.push(`file ${id} is lost`);
      continue;
    }
    const content = await fetch(`${rig.apis[0].origin}/media/${file.data.key}`);
    const bytes = Buffer.from(await content.arrayBuffer());
    if (createHash('sha256').update(bytes).digest('hex') !== hash) broken.push(`file ${id} differs from its upload`);
  }
  rig.history.files.clear();
  return broken;
}
