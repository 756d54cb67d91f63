import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { COUNTED_VARIANT, type History } from './load.js';
import type { Rig } from './rig.js';
import { checkEvents } from './verify-events.js';
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

/** Another worker delivers the events of a killed worker only after 25 s, and the receiver often fails. */
const MAX_PENDING_MS = 60_000;

/** Waits for background work, then checks the rules, acknowledged writes, files and events. Returns the breaches. */
export async function verify(rig: Rig, timeoutMs = MAX_PENDING_MS): Promise<string[]> {
  const breaches = await finishPendingWork(rig, timeoutMs);
  breaches.push(...(await rig.brokenRules()), ...(await checkWrites(rig)), ...(await checkFiles(rig)));
  breaches.push(...(await checkEvents(rig)));
  for (const service of [...rig.apis, rig.worker]) {
    breaches.push(...service.takeBugs());
    if (!service.isRunning) breaches.push(`a process ended unexpectedly: ${service.output.slice(-300)}`);
  }
  breaches.push(...rig.history.contradictions.splice(0));
  return breaches;
}

/** Makes pending work due and waits for its end. Returns a breach when work is still pending after the timeout. */
export async function finishPendingWork(rig: Rig, timeoutMs = MAX_PENDING_MS): Promise<string[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const [row] = await rig.rows<{ pending: string }>(PENDING_WORK);
    if (Number(row?.pending) === 0) return [];
    if (Date.now() > deadline) return [`${row?.pending} refunds, files or events stay pending`];
    for (const statement of MAKE_DUE) await rig.rows(statement);
    await pause(200);
  }
}

async function checkWrites(rig: Rig): Promise<string[]> {
  const { history, caller, gateway } = rig;
  const rows = await rig.rows<StoredProforma>(PROFORMAS, [caller.appId]);
  const storedById = new Map(rows.map((row) => [Number(row.id), row]));
  const lostProformas = [...history.proformas].filter(([id, acknowledged]) => {
    const row = storedById.get(id);
    const isSame =
      row?.number === acknowledged.number &&
      (acknowledged.order === undefined || Number(row.order) === acknowledged.order);
    const hasSameProgress =
      row?.isConfirmed === (acknowledged.isConfirmed ?? false) && row.isCanceled === (acknowledged.isCanceled ?? false);
    return (
      !isSame || !hasSameProgress || row.payments < acknowledged.payments || row.received !== acknowledged.received
    );
  });
  const [stockRow] = await rig.rows<{ onHand: string }>(COUNTED_PIECES, [caller.appId, COUNTED_VARIANT]);
  const [refundRow] = await rig.rows<{ amount: string }>(REFUNDED_AMOUNT);
  const paidAmount = [...gateway.paidRefunds.values()].reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
  const storedConsents = await rig.rows<StoredConsent>(CONSENTS, [caller.appId]);
  const oversoldRows = await rig.rows<object>(OVERSOLD);
  const overpaidRows = await rig.rows<object>(OVERPAID);
  return [
    ...lostProformas.map(
      ([id, acknowledged]) =>
        `proforma ${id}: ${JSON.stringify(acknowledged)} was acknowledged, ${JSON.stringify(storedById.get(id))} is stored`,
    ),
    ...(Number(stockRow?.onHand) === history.countedPieces
      ? []
      : [`${history.countedPieces} pieces were counted, ${stockRow?.onHand} are stored`]),
    ...(Number(refundRow?.amount) === paidAmount
      ? []
      : [`${refundRow?.amount} were refunded, the payment service paid ${paidAmount}`]),
    ...consentBreaches(history.consents, storedConsents),
    ...oversoldRows.map((row) => `oversold: ${JSON.stringify(row)}`),
    ...overpaidRows.map((row) => `overpaid: ${JSON.stringify(row)}`),
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

interface StoredConsent {
  readonly channel: string;
  readonly changes: number;
  readonly state: string;
}

function consentBreaches(acknowledged: History['consents'], stored: readonly StoredConsent[]): string[] {
  return [...acknowledged].flatMap(([channel, { state, changes }]) => {
    const storedConsent = stored.find((row) => row.channel === channel);
    if (storedConsent?.state === state && storedConsent.changes === changes) return [];
    return [`${channel} was left ${state} after ${changes} changes, ${JSON.stringify(storedConsent)} is stored`];
  });
}

async function checkFiles(rig: Rig): Promise<string[]> {
  const breaches: string[] = [];
  for (const [id, hash] of rig.history.files) {
    const file = await rig.caller.call('GET', `/cdn/files/${id}`);
    if (file === 'unknown' || file.status !== 200) {
      breaches.push(`file ${id} is lost`);
      continue;
    }
    const content = await fetch(`${rig.apis[0].origin}/media/${file.data.key}`);
    const bytes = Buffer.from(await content.arrayBuffer());
    if (createHash('sha256').update(bytes).digest('hex') !== hash) breaches.push(`file ${id} differs from its upload`);
  }
  rig.history.files.clear();
  return breaches;
}
