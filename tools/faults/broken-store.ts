import { addHours } from '@back-office/kernel';
import { setTimeout as pause } from 'node:timers/promises';
import { STORE_RULES } from '@back-office/database-postgres';
import type { Rig } from './rig.js';
import type { ScenarioResult } from './scenario.js';
import { finishPendingWork } from './verify.js';

/** The sweep keeps content of unfinished uploads for 24 hours and then removes it. */
const SWEEP_AFTER_HOURS = 25;
const MAX_REMOVAL_MS = 10_000;

/** Breaks the store in four modes, then runs the sweep as if a day had passed and checks for orphans. */
export async function storeBroken(rig: Rig): Promise<ScenarioResult> {
  const breaches: string[] = [];
  await rig.underLoad(async () => {
    for (const fault of ['fails', 'full', 'breaks off', 'slow'] as const) {
      await rig.setStoreFault(fault);
      await pause(fault === 'slow' ? 2_500 : 800);
      if (fault === 'fails' && (await rig.apis[0].isReady())) breaches.push('ready, though the store is broken');
    }
    await rig.setStoreFault('none');
  });
  const readyMs = await rig.untilReady();
  const sweepResult = await sweepADayLater(rig);
  return { readyMs, breaches: [...breaches, ...sweepResult.breaches], note: `${sweepResult.count} orphans removed` };
}

async function sweepADayLater(rig: Rig): Promise<{ readonly count: number; readonly breaches: readonly string[] }> {
  const pendingBreaches = await finishPendingWork(rig);
  const interruptedKey = await rig.addOrphans();
  const dayLater = addHours(new Date(), SWEEP_AFTER_HOURS);
  const findStoreBreaches = async (): Promise<string[]> =>
    (await rig.brokenRules(dayLater)).filter((breach) => STORE_RULES.some((name) => breach.startsWith(name)));
  const orphanBreaches = await findStoreBreaches();
  await rig.removeInterruptedLater(SWEEP_AFTER_HOURS);
  const isRemoved = await waitUntilRemoved(rig, interruptedKey);
  const count = await rig.sweepLater(SWEEP_AFTER_HOURS);
  return {
    count,
    breaches: [
      ...pendingBreaches,
      ...(orphanBreaches.length > 0 && count > 0 ? [] : ['no orphan was found']),
      ...(isRemoved ? [] : ['the bytes of an interrupted upload stay']),
      ...(await findStoreBreaches()).map((breach) => `a day later: ${breach}`),
    ],
  };
}

async function waitUntilRemoved(rig: Rig, key: string): Promise<boolean> {
  const store = await rig.openStore();
  const end = Date.now() + MAX_REMOVAL_MS;
  while (Date.now() < end) {
    const content = await store.read(key, { first: 0, last: 0 });
    if (content === undefined) return true;
    for await (const _ of content.bytes);
    await pause(100);
  }
  return false;
}
