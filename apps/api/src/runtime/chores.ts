import type { Container } from 'inversify';
import { TOKENS } from '../tokens.js';
import type { DispatchReport } from '../webhooks/index.js';
import type { Chore } from './background.js';
import { loggable, type Logger } from './logger.js';

const WEBHOOKS_EVERY_MS = 500;
const EXPIRY_EVERY_MS = 1_000;
const REFUNDS_EVERY_MS = 1_000;
const PURGE_EVERY_MS = 600_000;
const MEDIA_EVERY_MS = 60_000;
const USES_EVERY_MS = 15_000;
const EVALUATIONS_EVERY_MS = 600_000;
const SESSIONS_EVERY_MS = 3_600_000;

/** Returns the periodic work of the service, which any number of processes may run at the same time. */
export function choresOf(container: Container, logger: Logger): Chore[] {
  return [
    ...proformaChores(container, logger),
    {
      name: 'remove expired idempotency keys',
      intervalMs: PURGE_EVERY_MS,
      run: () => container.get(TOKENS.Database).keyedCalls.purge(),
    },
    {
      name: 'remove expired entries of the audit log',
      intervalMs: SESSIONS_EVERY_MS,
      run: () => container.get(TOKENS.Database).auditLog.purge(),
    },
    {
      name: 'remove expired events',
      intervalMs: SESSIONS_EVERY_MS,
      run: () => container.get(TOKENS.Database).eventFeed.purge(),
    },
    ...mediaChores(container),
    webhookChore(container, logger),
    {
      name: 'remove unused evaluations',
      intervalMs: EVALUATIONS_EVERY_MS,
      run: () => container.get(TOKENS.Database).evaluations.removeUnused(),
    },
    {
      name: 'remove expired sessions',
      intervalMs: SESSIONS_EVERY_MS,
      run: () => container.get(TOKENS.Database).sessions.purgeEnded(),
    },
  ];
}

/**
 * Returns the chore that writes token uses. Every API process runs it, because each process knows only the uses in its
 * own calls.
 */
export function tokenUseChoreOf(container: Container): Chore {
  return {
    name: 'write last uses of tokens',
    intervalMs: USES_EVERY_MS,
    run: async () => {
      await container.get(TOKENS.TokenUses).flush();
      return false;
    },
  };
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

function webhookChore(container: Container, logger: Logger): Chore {
  const dispatcher = container.get(TOKENS.WebhookDispatcher);
  const report: DispatchReport = {
    switchedOff: (appId, endpointId, reason) =>
      logger.error({ app_id: appId, webhook_endpoint_id: endpointId, reason }, 'webhook endpoint switched off'),
    failed: (appId, endpointId, error) =>
      logger.error(
        { app_id: appId, webhook_endpoint_id: endpointId, error: loggable(error) },
        'webhook deliveries not stored',
      ),
  };
  return {
    name: 'deliver webhooks',
    intervalMs: WEBHOOKS_EVERY_MS,
    run: async (stopping) => {
      await dispatcher.start(stopping, report);
      return false;
    },
  };
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
