import type { Container } from 'inversify';
import { TOKENS } from '../tokens.js';
import type { Chore } from './background.js';
import { loggable, type Logger } from './logger.js';

const EXPIRY_EVERY_MS = 1_000;
const REFUNDS_EVERY_MS = 1_000;
const PURGE_EVERY_MS = 600_000;
const MEDIA_EVERY_MS = 60_000;
const SESSIONS_EVERY_MS = 3_600_000;

/** The periodic work of the service. Any number of processes may run it at the same time. */
export function choresOf(container: Container, logger: Logger): Chore[] {
  return [
    ...proformaChores(container, logger),
    {
      name: 'remove expired idempotency keys',
      intervalMs: PURGE_EVERY_MS,
      run: () => container.get(TOKENS.Database).keyedCalls.purge(),
    },
    ...mediaChores(container),
    {
      name: 'remove expired sessions',
      intervalMs: SESSIONS_EVERY_MS,
      run: () => container.get(TOKENS.Database).sessions.purgeEnded(),
    },
  ];
}

function proformaChores(container: Container, logger: Logger): Chore[] {
  return [
    {
      name: 'expire proformas',
      intervalMs: EXPIRY_EVERY_MS,
      run: async (stopping) => {
        const { failures, hasMore } = await container.get(TOKENS.ExpirySweep).run(stopping);
        for (const { appId, id, error } of failures) {
          logger.error({ app_id: appId, proforma_id: id, error: loggable(error) }, 'proforma not expired');
        }
        return hasMore;
      },
    },
    {
      name: 'pay out refunds',
      intervalMs: REFUNDS_EVERY_MS,
      run: async (stopping) => (await container.get(TOKENS.Refunds).payOutDue(stopping)) > 0,
    },
  ];
}

function mediaChores(container: Container): Chore[] {
  return [
    {
      name: 'purge expired files in Trash',
      intervalMs: MEDIA_EVERY_MS,
      run: async () => (await container.get(TOKENS.Database).mediaTrash.expire()) > 0,
    },
    {
      name: 'remove expired file versions',
      intervalMs: MEDIA_EVERY_MS,
      run: async () => (await container.get(TOKENS.Database).fileVersions.expire()) > 0,
    },
    {
      name: 'discard interrupted uploads',
      intervalMs: MEDIA_EVERY_MS,
      run: () => container.get(TOKENS.Database).uploadReceipts.sweep(),
    },
  ];
}
