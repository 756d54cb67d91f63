import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { startChromium } from './chromium.js';
import { listen } from './varnish.js';
import { useWholeBody } from './whole-body.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface PageServer {
  readonly origin: string;
  /** Opens the page with the script in Chromium. Returns the value that the script passes to `report`. */
  run(script: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Serves the page itself; the handler gets all other requests. */
export async function startPageServer(handle: Handler): Promise<PageServer> {
  let page = '';
  let onReport: (text: string) => void = () => {};
  const server = createServer((request, response) => {
    if (request.url === '/') {
      response.setHeader('Content-Type', 'text/html').end(page);
    } else if (request.url === '/report') {
      useWholeBody(request, (body) => onReport(String(body)));
      response.end();
    } else handle(request, response);
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  return {
    origin,
    run: async (script) => {
      page = `<!doctype html><script type="module">
        const report = (value) => fetch('/report', { method: 'POST', body: JSON.stringify(value) });
        addEventListener('unhandledrejection', ({ reason }) => report({ failed: String(reason?.stack ?? reason) }));
        addEventListener('error', ({ message }) => report({ failed: message }));
        ${script.replaceAll('</script', '<\\/script')}</script>`;
      const reported = new Promise<string>((resolve) => (onReport = resolve));
      const chromium = await startChromium([origin]);
      try {
        return JSON.parse(await reported) as unknown;
      } finally {
        await chromium.close();
      }
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
