import { DatabaseUnavailable } from '@back-office/database';
import type { State } from '../state.js';
import { NO_APP_ID } from './memory-apps.js';

/** Throws when the app's currency has changed since the amounts were read. */
export function checkCurrency({ apps }: State, appId: number, expected: string): void {
  if (apps.get(NO_APP_ID, appId)?.currency === expected) return;
  throw new DatabaseUnavailable('The currency of the app has just changed');
}
