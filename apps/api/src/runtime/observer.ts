import { DatabaseUnavailable, failureOf, UnknownOutcome } from '../database/failures.js';
import { Unavailable } from '../http/errors.js';
import type { Observer } from '../http/request-log.js';
import { loggable, type Logger } from './logger.js';
import type { Metrics } from './metrics.js';

export function observerOf(logger: Logger, metrics: Metrics): Observer {
  return {
    finished(request) {
      metrics.observe(request);
      const { requestId, appId, milliseconds, ...rest } = request;
      const line = { ...rest, ms: Math.round(milliseconds * 10) / 10, request_id: requestId, app_id: appId };
      if (request.status >= 500) logger.error(line, 'request');
      else logger.info(line, 'request');
    },
    failed(error, request) {
      const requestId = request.headers['x-request-id'];
      logger.error({ request_id: requestId, failure: kindOf(error), error: loggable(error) }, 'request failed');
    },
  };
}

/** What an operator is to make of it: only a `bug` is one of the service itself. */
function kindOf(error: unknown): string {
  if (error instanceof UnknownOutcome) return 'unknown';
  return error instanceof Unavailable || error instanceof DatabaseUnavailable ? 'unavailable' : failureOf(error);
}
