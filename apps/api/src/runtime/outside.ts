import express, { type Express, type Request, type Response } from 'express';
import helmet from 'helmet';
import getAbsoluteFSPath from 'swagger-ui-dist/absolute-path.js';
import { compress } from '../http/compress.js';
import { labelRoute } from '../http/request-log.js';
import type { Guides } from './guides.js';
import { mountProbes, type Probes } from './probes.js';

export interface AdminParts extends Probes {
  /** Returns the API reference as JSON; called once, at the first request. `undefined` serves no reference. */
  readonly reference: (() => string) | undefined;
}

const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Retail back-office: API reference</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;
const START_SCRIPT = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: 'none' });\n`;

/** Serves health checks, metrics and the API reference, without a token. */
export function mountAdmin(app: Express, { reference, ...probes }: AdminParts): void {
  mountProbes(app, probes);
  if (reference === undefined) return;
  app.use(['/openapi.json', '/docs'], compress());
  let referenceJson: string | undefined;
  app.get('/openapi.json', labelRoute('/openapi.json'), (_request, response) =>
    sendText(response, 'application/json', (referenceJson ??= reference())),
  );
  mountReference(app);
}

const DOCS_LABEL = labelRoute('/docs');
const READING_METHODS = new Set(['GET', 'HEAD']);
const REFERENCE_FILES = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js']);

function mountReference(app: Express): void {
  const files = express.static(getAbsoluteFSPath(), { index: false, maxAge: '1h' });
  app.use('/docs', helmet({ contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } } }));
  app.get(['/docs', '/docs/'], DOCS_LABEL, (_request: Request, response: Response) =>
    sendText(response, 'text/html', REFERENCE_PAGE),
  );
  app.use('/docs/guides', (request, response, next) => {
    if (!READING_METHODS.has(request.method)) return next();
    return findGuide(request.path.slice(1)).then((page) => {
      if (page === undefined) next();
      else DOCS_LABEL(request, response, () => sendText(response, 'text/html', page));
    }, next);
  });
  app.get('/docs/start.js', DOCS_LABEL, (_request, response) => sendText(response, 'text/javascript', START_SCRIPT));
  app.use('/docs', (request, response, next) => {
    if (!REFERENCE_FILES.has(request.path)) return next();
    DOCS_LABEL(request, response, () => void files(request, response, next));
  });
}

let guides: Promise<Guides> | undefined;

/** Loads the renderer at the first request, so that it does not delay the start. */
async function findGuide(name: string): Promise<string | undefined> {
  guides ??= import('./guides.js').then((module) => new module.Guides());
  try {
    return (await guides).find(name);
  } catch (error) {
    guides = undefined;
    throw error;
  }
}

function sendText(response: Response, type: string, text: string): void {
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.end(text);
}
