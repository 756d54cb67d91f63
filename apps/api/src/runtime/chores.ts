import type { Container } from 'inversify';
import { TOKENS } from '../tokens.js';
import type { Chore } from './background.js';
import { loggable, type Logger } from './logger.js';

const EXPIRY_EVERY_MS = 1_000;
const REFUNDS_EVERY_MS = 1_000;
const PURGE_EVERY_MS = 600_000;
const MEDIA_EVERY_MS = 60_000;
const SESSIONS_EVERY_MS = 3_600_000;

/** The background work of the service. Any number of processes may do it at once. */
export function choresOf(container: Container, logger: Logger): Chore[] {
  return [
    {
      name: 'expire proformas',
      everyMs: EXPIRY_EVERY_MS,
      run: async (stopping) => {
        const { failures, more } = await container.get(TOKENS.ExpirySweep).run(stopping);
        for (const { appId, id, error } of failures) {
          logger.error({ app_id: appId, proforma_id: id, error: loggable(error) }, 'proforma not expired');
        }
        return more;
      },
    },
    {
      name: 'pay refunds out',
      everyMs: REFUNDS_EVERY_MS,
      run: async (stopping) => (await container.get(TOKENS.Refunds).payOutDue(stopping)) > 0,
    },
    {
      name: 'forget answers of keyed calls',
      everyMs: PURGE_EVERY_MS,
      run: () => container.get(TOKENS.KeyedCalls).purge(),
    },
    {
      name: 'purge files whose time in Trash is over',
      everyMs: MEDIA_EVERY_MS,
      run: async () => (await container.get(TOKENS.Library).trash.expire()) > 0,
    },
    {
      name: 'remove kept versions whose time is over',
      everyMs: MEDIA_EVERY_MS,
      run: async () => (await container.get(TOKENS.Library).versions.expire()) > 0,
    },
    {
      name: 'take back uploads that have died',
      everyMs: MEDIA_EVERY_MS,
      run: () => container.get(TOKENS.Library).receipts.sweep(),
    },
    {
      name: 'remove sessions that are over',
      everyMs: SESSIONS_EVERY_MS,
      run: () => container.get(TOKENS.Sessions).removeOver(),
    },
  ];
}
