import express, { type Express } from 'express';
import { fileURLToPath } from 'node:url';
import { labelRoute } from '../http/request-log.js';
import { protectPage, sendText } from './html-page.js';

const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <title>Retail back-office: API reference</title>
  </head>
  <body>
    <div id="reference"></div>
    <script type="module" src="/docs/start.js"></script>
  </body>
</html>
`;

/** Without these settings, the page would load fonts, report usage and advertise services of its vendor. */
const SELF_HOSTED = {
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
};
const SETTINGS = { url: '/openapi.json', defaultOpenFirstTag: false, ...SELF_HOSTED };
const START_SCRIPT = `import { createApiReference } from '/docs/reference/standalone.esm.js';
createApiReference('#reference', ${JSON.stringify(SETTINGS)});
`;

/**
 * The build copies the scripts to this folder. The path is the same for sources, for built files and for the bundle.
 */
const SCRIPTS = fileURLToPath(new URL('../../dist/reference-page/', import.meta.url));

const DOCS_LABEL = labelRoute('/docs');
const SCRIPT = /^\/(?:chunks\/)?[\w.-]+\.js$/;

export function mountReferencePage(app: Express): void {
  app.use('/docs', protectPage);
  app.get(['/docs', '/docs/'], DOCS_LABEL, (_request, response) => sendText(response, 'text/html', REFERENCE_PAGE));
  app.get('/docs/start.js', DOCS_LABEL, (_request, response) => sendText(response, 'text/javascript', START_SCRIPT));
  const scripts = express.static(SCRIPTS, { index: false, maxAge: '1h' });
  app.use('/docs/reference', (request, response, next) => {
    if (!SCRIPT.test(request.path)) return next();
    DOCS_LABEL(request, response, () => void scripts(request, response, next));
  });
}
