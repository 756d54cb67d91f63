import type { Express } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Messages } from './server.js';

/**
 * The classes of a server's requests and responses that are Express's from their birth. Express would give each a new
 * prototype when it comes, after which the engine knows nothing of the object's shape: that is a sixth of a call.
 */
export function expressMessages(app: Express): Messages {
  class Request extends IncomingMessage {}
  class Response<Asked extends IncomingMessage> extends ServerResponse<Asked> {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request) as Express['request'];
  app.response = Object.setPrototypeOf(Response.prototype, app.response) as Express['response'];
  return { IncomingMessage: Request, ServerResponse: Response };
}
