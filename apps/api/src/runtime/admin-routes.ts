import type { Express } from 'express';
import { compress } from '../http/compress.js';
import { labelRoute } from '../http/request-log.js';
import type { Guides } from '../pages/guides.js';
import { sendText } from '../pages/html-page.js';
import { mountProbes, type Probes } from './probes.js';
import { mountReferencePage } from '../pages/reference-page.js';
import { mountStartPage, type StartPageParts } from '../pages/start-page.js';

export interface AdminParts extends Probes {
  readonly startPage: StartPageParts;
  /** Returns the API reference as JSON. Called once, at the first request; `undefined` serves no API reference. */
  readonly reference: (() => string) | undefined;
}

/** Serves health checks, metrics, the start page and the API reference; none of them needs a token. */
export function mountAdmin(app: Express, { reference, startPage, ...probes }: AdminParts): void {
  mountProbes(app, probes);
  if (reference === undefined) return;
  app.use(['/openapi.json', '/docs'], compress());
  let referenceJson: string | undefined;
  app.get('/openapi.json', labelRoute('/openapi.json'), (_request, response) =>
    sendText(response, 'application/json', (referenceJson ??= reference())),
  );
  mountStartPage(app, startPage);
  mountReferencePage(app);
  mountGuides(app);
}

const DOCS_LABEL = labelRoute('/docs');
const READING_METHODS = new Set(['GET', 'HEAD']);

function mountGuides(app: Express): void {
  app.use('/docs/guides', (request, response, next) => {
    if (!READING_METHODS.has(request.method)) return next();
    return findGuide(request.path.slice(1)).then((page) => {
      if (page === undefined) next();
      else DOCS_LABEL(request, response, () => sendText(response, 'text/html', page));
    }, next);
  });
}

let guides: Promise<Guides> | undefined;

/** Loads the guides on the first request, because loading them would delay the start. */
async function findGuide(name: string): Promise<string | undefined> {
  guides ??= import('../pages/guides.js').then((module) => new module.Guides());
  try {
    return (await guides).find(name);
  } catch (error) {
    guides = undefined;
    throw error;
  }
}
