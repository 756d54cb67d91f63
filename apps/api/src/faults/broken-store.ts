import { addHours } from '@back-office/kernel';
import { setTimeout as pause } from 'node:timers/promises';
import { STORE_RULES } from '@back-office/database-postgres';
import type { Rig } from './rig.js';
import type { Outcome } from './scenario.js';
import { settled } from './verify.js';

/** Older than any content in use. */
const SWEPT_HOURS = 25;
const MAX_REMOVAL_MS = 10_000;

/** Breaks the store in four modes, then checks for leftovers a day later. */
export async function storeBroken(rig: Rig): Promise<Outcome> {
  const breaches: string[] = [];
  await rig.underLoad(async () => {
    for (const fault of ['fails', 'full', 'breaks off', 'slow'] as const) {
      await rig.breakStores(fault);
      await pause(fault === 'slow' ? 2_500 : 800);
      if (fault === 'fails' && (await rig.apis[0].isReady())) breaches.push('ready, though the store is broken');
    }
    await rig.breakStores('none');
  });
  const readyMs = await rig.untilReady();
  const swept = await sweepADayLater(rig);
  return { readyMs, breaches: [...breaches, ...swept.breaches], note: `${swept.count} orphans removed` };
}

/** Removes orphans and interrupted uploads a day later. */
async function sweepADayLater(rig: Rig): Promise<{ readonly count: number; readonly breaches: readonly string[] }> {
  const unsettled = await settled(rig);
  const interrupted = await rig.addOrphans();
  const later = addHours(new Date(), SWEPT_HOURS);
  const storeBreaches = async (): Promise<string[]> =>
    (await rig.brokenRules(later)).filter((breach) => STORE_RULES.some((name) => breach.startsWith(name)));
  const before = await storeBreaches();
  await rig.removeInterruptedLater(SWEPT_HOURS);
  const isRemoved = await isGone(rig, interrupted);
  const count = await rig.sweepLater(SWEPT_HOURS);
  return {
    count,
    breaches: [
      ...unsettled,
      ...(before.length > 0 && count > 0 ? [] : ['no orphan was found']),
      ...(isRemoved ? [] : ['the bytes of an interrupted upload stay']),
      ...(await storeBreaches()).map((breach) => `a day later: ${breach}`),
    ],
  };
}

async function isGone(rig: Rig, key: string): Promise<boolean> {
  const store = await rig.store();
  const end = Date.now() + MAX_REMOVAL_MS;
  while (Date.now() < end) {
    const found = await store.read(key, { first: 0, last: 0 });
    if (found === undefined) return true;
    for await (const _ of found.bytes);
    await pause(100);
  }
  return false;
}
