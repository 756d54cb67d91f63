import type { Express, Request } from 'express';
import { acceptsOneOf } from '../http/accept.js';
import { BASE_PATH } from '../http/base-path.js';
import { labelRoute } from '../http/request-log.js';
import { protectPage, sendText } from './html-page.js';
import { API_VERSION, SERVICE_VERSION } from '../version.js';

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

export interface StartPageParts {
  /** Prefix of public URLs; also the address of the API if this page is on another port. */
  readonly publicUrl: string;
  readonly isApiOnOtherPort: boolean;
}

const LABEL = labelRoute('/');
const HOST = /^[\w.:[\]-]{1,255}$/;

/** Serves a page of links to browsers, and the same addresses as text to programs such as curl. */
export function mountStartPage(app: Express, parts: StartPageParts): void {
  app.get('/', (request, response, next) => {
    response.vary('Accept');
    const type = preferredType(request);
    // A client of the API gets the usual answer for an unknown path.
    if (type === undefined) return next();
    const text = type === 'text/html' ? START_PAGE : listAddresses(request, parts);
    // The addresses begin with the host of the request.
    if (type === 'text/plain') response.setHeader('Cache-Control', 'no-store');
    LABEL(request, response, () => protectPage(request, response, () => sendText(response, type, text)));
  });
}

/** Prefers text, because `*` of curl accepts every type equally, and HTML to JSON for a client that refuses text. */
function preferredType(request: Request): 'text/html' | 'text/plain' | undefined {
  const type = acceptsOneOf(request, ['text/html', 'text/plain'])
    ? request.accepts(['text/plain', 'text/html', 'application/json'])
    : false;
  return type === 'text/html' || type === 'text/plain' ? type : undefined;
}

function listAddresses(request: Request, { publicUrl, isApiOnOtherPort }: StartPageParts): string {
  const origin = originOf(request, publicUrl);
  return `Retail back-office ${SERVICE_VERSION} (API ${API_VERSION})

API        ${isApiOnOtherPort ? publicUrl : origin}${BASE_PATH}
Reference  ${origin}/docs
OpenAPI    ${origin}/openapi.json
Guides     ${origin}/docs/guides/
Health     ${origin}/health/ready
`;
}

/** Returns the origin that the client used; '' for a host that is no host name. A proxy may hide that it is HTTPS. */
function originOf(request: Request, publicUrl: string): string {
  // Without a Host header, Express returns no host.
  const host = (request.host as string | undefined) ?? '';
  if (!HOST.test(host)) return '';
  const { host: publicHost, origin: publicOrigin } = new URL(publicUrl);
  return host === publicHost ? publicOrigin : `${request.protocol}://${host}`;
}
