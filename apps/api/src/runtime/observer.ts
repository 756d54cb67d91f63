import { isDatabaseUnavailable, isUnknownOutcome } from '@back-office/database';
import { type LimitName, Unavailable } from '../http/errors.js';
import { serviceRequestIdOf, type LimitedCaller, type Observer } from '../http/request-log.js';
import type { UnansweredRefundReporter } from '../proformas/index.js';
import { RejectionLog } from './rejection-log.js';
import { loggable, type Logger } from './logger.js';
import type { Metrics } from './metrics.js';

export function observerOf(logger: Logger, metrics: Pick<Metrics, 'observe' | 'countOverLimit'>): Observer {
  const limitLog = new LimitLog(logger);
  const rejectionLog = new RejectionLog(logger);
  return {
    onFinished(request) {
      metrics.observe(request);
      const line = {
        method: request.method,
        route: request.route,
        status: request.status,
        keys: request.keys,
        ms: Math.round(request.milliseconds * 10) / 10,
        request_id: request.requestId,
        service_request_id: request.serviceRequestId,
        app_id: request.appId,
        token_id: request.tokenId,
      };
      if (request.status >= 500) logger.error(line, 'request');
      else logger.info(line, 'request');
    },
    onFailed(error, request) {
      const ids = { request_id: request.headers['x-request-id'], service_request_id: serviceRequestIdOf(request) };
      logger.error({ ...ids, failure: failureClassOf(error), error: loggable(error) }, 'request failed');
    },
    onRejected(rejection, address) {
      const { tokenId, appId, hashPrefix } = rejection.token ?? {};
      const line = { address, token_id: tokenId, app_id: appId, token_hash: hashPrefix };
      if ('failure' in rejection) rejectionLog.note('token failed', address, { key: rejection.failure, ...line });
      else
        rejectionLog.note('scope refused', `${tokenId} ${rejection.missingScope}`, {
          scope: rejection.missingScope,
          ...line,
        });
    },
    onLimit(limit, caller) {
      metrics.countOverLimit(limit);
      limitLog.note(limit, caller);
    },
  };
}

const LIMIT_LOG_MS = 60_000;
const MAX_LOGGED_CALLERS = 1_000;

/** Logs each caller above a limit once a minute, for at most a thousand callers. */
class LimitLog {
  private readonly callers = new Set<string>();
  private startedAtMs = -Infinity;

  constructor(private readonly logger: Logger) {}

  note(limit: LimitName, { appId, tokenId, address }: LimitedCaller): void {
    const nowMs = performance.now();
    if (nowMs - this.startedAtMs >= LIMIT_LOG_MS) {
      this.callers.clear();
      this.startedAtMs = nowMs;
    }
    const caller = `${limit} ${tokenId ?? address}`;
    if (this.callers.has(caller) || this.callers.size >= MAX_LOGGED_CALLERS) return;
    this.callers.add(caller);
    this.logger.warn({ limit, app_id: appId, token_id: tokenId, address }, 'limit exceeded');
  }
}

/** Returns a function that logs a refund when the `REFUNDS` module gave no valid answer. */
export function refundReportOf(logger: Logger): UnansweredRefundReporter {
  return (refund, error) => logger.warn({ ...refund, error: loggable(error) }, 'refund not answered');
}

/** Returns the failure class for the log. Only `bug` means a defect of the service. */
function failureClassOf(error: unknown): string {
  if (isUnknownOutcome(error)) return 'unknown';
  return error instanceof Unavailable || isDatabaseUnavailable(error) ? 'unavailable' : 'bug';
}
