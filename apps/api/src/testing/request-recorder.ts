import type { OnRequest } from '../telemetry/index.js';

export const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

/** Records the observed requests, each with the status or the code of the error that ended it. */
export function recordRequests(): { readonly onRequest: OnRequest; readonly requests: string[] } {
  const requests: string[] = [];
  const onRequest: OnRequest = ({ method, url, purpose }) => ({
    headers: { traceparent: TRACEPARENT },
    end: (status, error) => {
      const result = error === undefined ? String(status) : ((error as { code?: string }).code ?? 'failed');
      requests.push(`${method} ${url.hostname} ${purpose}: ${result}`);
    },
  });
  return { onRequest, requests };
}
