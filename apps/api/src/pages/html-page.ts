import type { Response } from 'express';
import helmet from 'helmet';

/** Sets headers that let a page load files only from this service. */
export const protectPage = helmet({
  contentSecurityPolicy: {
    directives: {
      'font-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'upgrade-insecure-requests': null,
    },
  },
});

export function sendText(response: Response, type: string, text: string): void {
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.end(text);
}
