import { isDatabaseUnavailable, isUnknownOutcome } from '@back-office/database';
import { Unavailable } from '../http/errors.js';
import type { Observer } from '../http/request-log.js';
import type { UnansweredRefundReporter } from '../proformas/index.js';
import { loggable, type Logger } from './logger.js';
import type { Metrics } from './metrics.js';

export function observerOf(logger: Logger, metrics: Pick<Metrics, 'observe'>): Observer {
  return {
    onFinished(request) {
      metrics.observe(request);
      const { requestId, appId, milliseconds, ...requestFields } = request;
      const line = { ...requestFields, ms: Math.round(milliseconds * 10) / 10, request_id: requestId, app_id: appId };
      if (request.status >= 500) logger.error(line, 'request');
      else logger.info(line, 'request');
    },
    onFailed(error, request) {
      const requestId = request.headers['x-request-id'];
      logger.error({ request_id: requestId, failure: failureClassOf(error), error: loggable(error) }, 'request failed');
    },
  };
}

/** Logs refunds for which the `REFUNDS` module gave no usable answer. */
export function refundReportOf(logger: Logger): UnansweredRefundReporter {
  return (refund, error) => logger.warn({ ...refund, error: loggable(error) }, 'refund not answered');
}

/** Only the class `bug` means a defect of the service. */
function failureClassOf(error: unknown): string {
  if (isUnknownOutcome(error)) return 'unknown';
  return error instanceof Unavailable || isDatabaseUnavailable(error) ? 'unavailable' : 'bug';
}
