import type { Express, Request } from 'express';
import { acceptsOneOf } from '../http/accept.js';
import { labelRoute } from '../http/request-log.js';
import { protectPage, sendText } from './html-page.js';
import { SERVICE_VERSION } from '../version.js';

const START_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <title>Retail back-office</title>
    <style>
      body { font: 16px/1.55 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; color: #222 }
      h1 { line-height: 1.2 } a { color: #00695c } li { margin: 0.5rem 0 } footer { color: #666; margin-top: 2rem }
    </style>
  </head>
  <body>
    <h1>Retail back-office</h1>
    <p>An HTTP JSON API for products, stock, customers, prices and orders.</p>
    <ul>
      <li><a href="/docs">API reference</a>: every call with examples</li>
      <li><a href="/docs/guides/quickstart">Quickstart</a>: from a basket to an order</li>
      <li><a href="/docs/guides/">Guides</a>: pricing, events, media, operations and more</li>
      <li><a href="/openapi.json">openapi.json</a>: for generators of clients</li>
      <li><a href="/health/ready">Health</a>: whether the service accepts calls</li>
    </ul>
    <footer>Version ${SERVICE_VERSION}</footer>
  </body>
</html>
`;

const LABEL = labelRoute('/');

/** Serves a page of links to browsers. Other clients get the usual answer for an unknown path. */
export function mountStartPage(app: Express): void {
  app.get('/', (request, response, next) => {
    if (!prefersHtml(request)) return next();
    LABEL(request, response, () =>
      protectPage(request, response, () => {
        response.setHeader('Vary', 'Accept');
        sendText(response, 'text/html', START_PAGE);
      }),
    );
  });
}

function prefersHtml(request: Request): boolean {
  return acceptsOneOf(request, ['text/html']) && request.accepts(['application/json', 'text/html']) === 'text/html';
}
