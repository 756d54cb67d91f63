import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Passes the body to `use`, unless the client ends the connection before the end of the body. */
export function useWholeBody(request: IncomingMessage, use: (body: Buffer) => unknown): void {
  void buffer(request).then(use, () => {});
}
