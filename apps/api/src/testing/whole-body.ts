import type { IncomingMessage } from 'node:http';

/** Passes the body to `use`, unless the client ends the connection before the end of the body. */
export function useWholeBody<Body>(
  request: IncomingMessage,
  read: (request: IncomingMessage) => Promise<Body>,
  use: (body: Body) => unknown,
): void {
  void read(request).then(use, () => {});
}
