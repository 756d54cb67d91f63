import express, { type Express } from 'express';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { labelRoute } from '../http/request-log.js';
import { protectPage, sendText } from './html-page.js';
import { REFERENCE_SCRIPT } from './reference-script.js';

/** Hides parts without content (servers, licence, inputs of webhooks), and keeps phones from scrolling sideways. */
const STYLE = `body { margin: 0 }
.links { font: 16px/1.55 system-ui, sans-serif; max-width: 1420px; margin: 1rem auto 0; padding: 0 20px }
.links a, .swagger-ui .info a, .swagger-ui .opblock-tag small a { color: #00695c; font-size: inherit }
.swagger-ui .info { margin: 20px 0 } .swagger-ui .info li, .swagger-ui .info p { font-size: 16px; line-height: 1.55 }
.swagger-ui .info__license, .swagger-ui .servers-title, .swagger-ui .servers, .swagger-ui .response-col_links,
.swagger-ui .webhooks .parameters-col_description input { display: none }
.swagger-ui .scheme-container { padding: 10px 0; box-shadow: none } .swagger-ui .filter .operation-filter-input { margin: 10px 0 }
@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap } .swagger-ui .opblock-tag small { padding: 0; flex-basis: 100%; order: 1 }
  .swagger-ui .filter .operation-filter-input { max-width: none; box-sizing: border-box }
  .swagger-ui table, .swagger-ui tbody, .swagger-ui tr, .swagger-ui td { display: block; width: auto } .swagger-ui thead { display: none }
  .swagger-ui select { max-width: 100% } .swagger-ui table tbody tr td { padding: 4px 0 }
}`;

const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/reference/swagger-ui.css" />
    <title>Retail back-office: API reference</title>
    <style>
${STYLE}
    </style>
  </head>
  <body>
    <nav class="links"><a href="/">Start</a> · <a href="/docs">API reference</a> · <a href="/docs/guides/">Guides</a></nav>
    <div id="reference"></div>
    <script src="/docs/reference/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const SERVED_FILES = new Set(['/swagger-ui-bundle.js', '/swagger-ui.css']);

const DOCS_LABEL = labelRoute('/docs');

export function mountReferencePage(app: Express): void {
  app.use('/docs', protectPage);
  app.get(['/docs', '/docs/'], DOCS_LABEL, (_request, response) => sendText(response, 'text/html', REFERENCE_PAGE));
  app.get('/docs/start.js', DOCS_LABEL, (_request, response) =>
    sendText(response, 'text/javascript', REFERENCE_SCRIPT),
  );
  const files = express.static(SWAGGER_UI, { index: false, maxAge: '1h' });
  app.use('/docs/reference', (request, response, next) => {
    if (!SERVED_FILES.has(request.path)) return next();
    DOCS_LABEL(request, response, () => void files(request, response, next));
  });
}
