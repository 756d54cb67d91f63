import { Agent, request } from 'node:http';
import { autocannon } from './autocannon.js';

export interface Load {
  readonly clients: number;
  readonly seconds: number;
}

export interface Figure {
  readonly perSecond: number;
  /** Median latency in milliseconds. */
  readonly p50: number;
}

/** Repeats one call; throws on any status outside 2xx. */
export async function loadWith(url: string, token: string, { clients, seconds }: Load): Promise<Figure> {
  const headers = { Authorization: `Bearer ${token}` };
  const result = await autocannon({ url, connections: clients, duration: seconds, headers });
  if (result.non2xx + result.errors > 0) throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return { perSecond: result.requests.average, p50: result.latency.p50 };
}

/** Repeats a flow of several calls, one after another in each client. */
export async function loadWithFlows(flow: () => Promise<void>, { clients, seconds }: Load): Promise<Figure> {
  const loadStartMs = performance.now();
  const endMs = loadStartMs + seconds * 1_000;
  const times: number[] = [];
  const runClient = async (): Promise<number> => {
    let flows = 0;
    while (performance.now() < endMs) {
      const flowStartMs = performance.now();
      await flow();
      times.push(performance.now() - flowStartMs);
      flows += 1;
    }
    return flows / ((performance.now() - loadStartMs) / 1_000);
  };
  const rates = await Promise.all(Array.from({ length: clients }, runClient));
  return { perSecond: rates.reduce((sum, rate) => sum + rate, 0), p50: median(times) };
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends a JSON call on a keep-alive connection and returns the `data` of the answer. */
export function call(
  url: string,
  token: string,
  body: unknown,
  method: 'GET' | 'POST' | 'PUT' = 'POST',
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    };
    const clientRequest = request(url, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString();
        if ((response.statusCode ?? 500) >= 300) reject(new Error(`${url}: ${response.statusCode} ${answer}`));
        else resolve((JSON.parse(answer) as { data: Record<string, unknown> }).data);
      });
    });
    clientRequest.on('error', reject);
    clientRequest.end(text);
  });
}
