import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath, listen } from './varnish.js';

const chromium = ['chromium', 'chromium-browser', 'google-chrome'].map(findOnPath).find((path) => path !== undefined);
/** The tests run without Chromium; .ci/run installs it. */
export const hasChromium = chromium !== undefined;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface PageServer {
  readonly origin: string;
  /** Opens the page with the script in Chromium, and returns what the script passes to `report`. */
  run(script: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Serves the page, and passes all other requests to the handler. */
export async function startPageServer(handle: Handler): Promise<PageServer> {
  let page = '';
  let onReport: (text: string) => void = () => {};
  const server = createServer((request, response) => {
    if (request.url === '/') {
      response.setHeader('Content-Type', 'text/html').end(page);
    } else if (request.url === '/report') {
      void textOfBody(request).then((text) => onReport(text));
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
      const close = await openChromium(origin);
      try {
        return JSON.parse(await reported) as unknown;
      } finally {
        await close();
      }
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function openChromium(url: string): Promise<() => Promise<void>> {
  const profile = await mkdtemp(join(tmpdir(), 'chromium-'));
  // Root may start Chromium only without its sandbox; the page is part of this repository.
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', `--user-data-dir=${profile}`];
  const child = spawn(chromium ?? '', [...options, url], { stdio: 'ignore', detached: true });
  const exit = once(child, 'exit');
  return async () => {
    process.kill(-(child.pid as number), 'SIGKILL');
    await exit;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
}

async function textOfBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
