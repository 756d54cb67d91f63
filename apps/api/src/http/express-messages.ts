import type { Express } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { MessageClasses } from './server.js';

/**
 * Returns classes for requests and responses that inherit from Express's prototypes. Otherwise Express would change the
 * prototype of every object. This would take a sixth of a call's time.
 */
export function createExpressMessages(app: Express): MessageClasses {
  class Request extends IncomingMessage {}
  class Response<Message extends IncomingMessage> extends ServerResponse<Message> {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request) as Express['request'];
  app.response = Object.setPrototypeOf(Response.prototype, app.response) as Express['response'];
  return { IncomingMessage: Request, ServerResponse: Response };
}
