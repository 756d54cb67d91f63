import { PROBLEM_TYPE } from '../../http/problem-document.js';
import type { Example, OperationExamples } from '../../http/openapi-examples.js';
import type { Route } from '../../http/route.js';
import type { Client, Reply, Upload } from '../test-api.js';

type Method = Route['method'];
type RecordedOperation = {
  request?: Record<string, Example>;
  responses: Record<string, Record<string, Record<string, Example>>>;
};

const ACCEPTS_PROBLEMS = { Accept: `${PROBLEM_TYPE}, application/json, image/png;q=0.1` };

/** Sends calls to the service and keeps their bodies as examples. */
export class Recorder {
  private readonly operations = new Map<string, RecordedOperation>();
  private readonly patterns: readonly (readonly [key: string, method: Method, pattern: RegExp])[];

  /** `toReadable` makes a body suitable for the API reference. */
  constructor(
    routes: readonly Route[],
    private readonly toReadable: (body: unknown) => unknown,
  ) {
    const literalFirst = routes.toSorted((a, b) => countParameters(a) - countParameters(b));
    this.patterns = literalFirst.map(({ method, path }) => [
      `${method} ${path}`,
      method,
      new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
    ]);
  }

  /** Sends a call that must succeed. Returns the `data` of the answer. */
  // eslint-disable-next-line typescript/no-explicit-any
  async show(client: Client, summary: string, call: string, body?: unknown): Promise<any> {
    const reply = await send(client, call, body);
    if (reply.status >= 300) throw new Error(`${call} was refused: ${reply.status} ${reply.text}`);
    this.keepRequest(call, summary, body);
    if (reply.text !== '') this.keepAnswer(call, summary, reply.status, 'application/json', reply.body);
    return reply.body?.data;
  }

  /** Sends a call that must fail, once for each form of error body. */
  async refuse(client: Client, summary: string, call: string, body?: unknown): Promise<void> {
    await this.keepRefusal(client, summary, call, (caller) => send(caller, call, body));
  }

  /** Uploads a file in a form. Returns the `data` of the answer. */
  // eslint-disable-next-line typescript/no-explicit-any
  async upload(client: Client, summary: string, path: string, file: Upload, fields: Fields = {}): Promise<any> {
    const call = `post ${path}`;
    const reply = await client.upload(path, file, fields);
    if (reply.status >= 300) throw new Error(`${call} was refused: ${reply.status} ${reply.text}`);
    this.keepRequest(call, summary, { file: `bytes of ${file.name}`, ...fields });
    this.keepAnswer(call, summary, reply.status, 'application/json', reply.body);
    return reply.body.data;
  }

  async refuseUpload(client: Client, summary: string, path: string, fields: Fields = {}): Promise<void> {
    await this.keepRefusal(client, summary, `post ${path}`, (caller) => caller.upload(path, undefined, fields));
  }

  /** Shows the first record of a list for every call that reads one by its id, unless the scenario has shown the call. */
  async showListedRecords(client: Client): Promise<void> {
    for (const [key] of this.patterns) {
      const [, segment] = /^get \/(\w+)\/:id$/.exec(key) ?? [];
      if (segment === undefined || this.operations.has(key) || !this.operations.has(`get /${segment}`)) continue;
      const { body } = await client.get(`/${segment}`);
      await this.show(client, 'One of the list', `get /${segment}/${body.data[0].id}`);
    }
  }

  /** Stores an answer that is not JSON. */
  keepText(call: string, summary: string, type: string, text: string): void {
    this.keepAnswer(call, summary, 200, type, text);
  }

  get examples(): Record<string, OperationExamples> {
    return Object.fromEntries([...this.operations].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private async keepRefusal(
    client: Client,
    summary: string,
    call: string,
    sendAs: (caller: Client) => Promise<Reply>,
  ): Promise<void> {
    for (const caller of [client, client.with(ACCEPTS_PROBLEMS)]) {
      const reply = await sendAs(caller);
      if (reply.status < 400) throw new Error(`${call} was not refused: ${reply.status} ${reply.text}`);
      const [type = ''] = (reply.headers['content-type'] ?? '').split(';');
      if (reply.text !== '') this.keepAnswer(call, summary, reply.status, type, reply.body);
    }
  }

  private keepRequest(call: string, summary: string, body: unknown): void {
    if (body === undefined) return;
    const operation = this.operationOf(call);
    operation.request = { ...operation.request, [nameOf(summary)]: { summary, value: this.toReadable(body) } };
  }

  private keepAnswer(call: string, summary: string, status: number, type: string, body: unknown): void {
    const { responses } = this.operationOf(call);
    const byType = responses[status] ?? {};
    responses[status] = byType;
    byType[type] = { ...byType[type], [nameOf(summary)]: { summary, value: this.toReadable(body) } };
  }

  private operationOf(call: string): RecordedOperation {
    const [calledMethod, path = ''] = call.split(' ');
    const [pathname = ''] = path.split('?');
    const [key] = this.patterns.find(([, method, pattern]) => method === calledMethod && pattern.test(pathname)) ?? [];
    if (key === undefined) throw new Error(`No route serves ${call}`);
    const operation = this.operations.get(key) ?? { responses: {} };
    this.operations.set(key, operation);
    return operation;
  }
}

type Fields = Readonly<Record<string, string>>;

function send(client: Client, call: string, body: unknown): Promise<Reply> {
  const [method, path = ''] = call.split(' ');
  return method === 'get' ? client.get(path) : client[method as Method](path, body);
}

function countParameters({ path }: Route): number {
  return path.split('/:').length;
}

function nameOf(summary: string): string {
  return summary
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');
}
