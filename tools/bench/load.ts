import { Agent, request } from 'node:http';

export interface Load {
  readonly clients: number;
  readonly seconds: number;
}

/** Repeats the work in each client, one run after another. Returns the runs per second. */
export async function measureRate(work: () => Promise<unknown>, { clients, seconds }: Load): Promise<number> {
  const startMs = performance.now();
  const endMs = startMs + seconds * 1_000;
  const runClient = async (): Promise<number> => {
    let runs = 0;
    while (performance.now() < endMs) {
      await work();
      runs += 1;
    }
    return runs / ((performance.now() - startMs) / 1_000);
  };
  const rates = await Promise.all(Array.from({ length: clients }, runClient));
  return rates.reduce((sum, rate) => sum + rate, 0);
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
  method: 'GET' | 'POST' = 'POST',
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

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
