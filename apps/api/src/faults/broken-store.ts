import { addHours } from '@back-office/kernel';
import { setTimeout as pause } from 'node:timers/promises';
import { STORE_RULES } from '../checks/index.js';
import type { Rig } from './rig.js';
import type { Outcome } from './scenario.js';
import { settled } from './verify.js';

/** Older than anything that may still be in use. */
const SWEPT_HOURS = 25;
const TIDIED_MS = 10_000;

/** A store that fails, is full, breaks off and is slow; and what that leaves behind, a day later. */
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
  const swept = await sweptADayLater(rig);
  return { readyMs, breaches: [...breaches, ...swept.breaches], note: `${swept.count} contents of nobody swept away` };
}

/** What uploads have left that were broken off, and what is lost on purpose, is gone when it is old. */
async function sweptADayLater(rig: Rig): Promise<{ readonly count: number; readonly breaches: readonly string[] }> {
  const unsettled = await settled(rig);
  const died = await rig.loseContent();
  const later = addHours(new Date(), SWEPT_HOURS);
  const ofStore = async (): Promise<string[]> =>
    (await rig.brokenRules(later)).filter((breach) => STORE_RULES.some((name) => breach.startsWith(name)));
  const before = await ofStore();
  await rig.takeBackLater(SWEPT_HOURS);
  const isTidied = await isGone(rig, died);
  const count = await rig.sweepLater(SWEPT_HOURS);
  return {
    count,
    breaches: [
      ...unsettled,
      ...(before.length > 0 && count > 0 ? [] : ['what is lost is not found']),
      ...(isTidied ? [] : ['the bytes of an upload that has died are not tidied away']),
      ...(await ofStore()).map((breach) => `a day later: ${breach}`),
    ],
  };
}

/** Whether the worker removes these bytes. */
async function isGone(rig: Rig, key: string): Promise<boolean> {
  const store = await rig.store();
  const end = Date.now() + TIDIED_MS;
  while (Date.now() < end) {
    const found = await store.read(key, { first: 0, last: 0 });
    if (found === undefined) return true;
    for await (const _ of found.bytes);
    await pause(100);
  }
  return false;
}
