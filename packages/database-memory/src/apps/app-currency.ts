import { DatabaseUnavailable } from '@back-office/database';
import type { State } from '../state.js';
import { INSTALLATION } from './memory-apps.js';

/** Throws when the app's currency has changed since the amounts were read. */
export function checkCurrency({ apps }: State, appId: number, expected: string): void {
  if (apps.get(INSTALLATION, appId)?.currency === expected) return;
  throw new DatabaseUnavailable('The currency of the app has just changed');
}
