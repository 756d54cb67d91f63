import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { EventLog } from './event-log.mjs';

/** The service sends at most 256 kB; the limit leaves a margin. */
const MAX_BODY_BYTES = 1_000_000;

/**
 * @param {string} secret of the endpoint: `whsec_…`
 * @param {EventLog} log
 * @param {(error: unknown) => void} reportError
 */
export function createReceiver(secret, log, reportError = console.error) {
  const webhook = new Webhook(secret);
  return createServer(async (request, response) => {
    const { status, text } = await receive(request, webhook, log).catch((error) => {
      reportError(error);
      return { status: 500, text: 'The event was not stored' };
    });
    response.writeHead(status).end(text);
  });
}

async function receive(request, webhook, log) {
  if (request.method !== 'POST') return { status: 405, text: 'Send a POST' };
  const body = await readBody(request);
  if (body === undefined) return { status: 413, text: 'The body is too large' };
  const event = verify(webhook, body, request.headers);
  if (event === undefined) return { status: 400, text: 'The signature or its time is wrong' };
  // Repeated and outdated events also get 204, so that the service does not send them again.
  await log.store(request.headers['webhook-id'], event);
  return { status: 204 };
}

/** Returns the raw bytes that the signature covers; `undefined` when the body is too large. */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    // Reads even a body above the limit to its end, because otherwise the sender may not receive the answer.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}

function verify(webhook, body, headers) {
  try {
    return webhook.verify(body, headers);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined;
    throw error;
  }
}

async function main() {
  const { WEBHOOK_SECRET: secret, EVENTS_FILE: path = 'events.jsonl', PORT: port = '4000' } = process.env;
  if (!secret) throw new Error('WEBHOOK_SECRET is missing');
  const log = await EventLog.open(path);
  const server = createReceiver(secret, log);
  server.listen(Number(port), () => console.log(`Listening on port ${server.address().port}`));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(() => log.close()));
}

// Starts only when the file is run directly, because tests import it.
if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
