import { isConditionFailed, type Calls } from '@back-office/database';
import { isRefusal } from '@back-office/kernel';
import type { TSchema } from '@sinclair/typebox';
import type { Answer, HandlerResult } from './answer.js';
import { listsTag, withEntityTag } from './entity-tag.js';
import { HttpProblem, toAnswer } from './errors.js';
import { requestProblem } from './problems.js';
import type { Call, Route } from './route.js';

const PRECONDITION_FAILED = 412;

const UNSUPPORTED = new HttpProblem(PRECONDITION_FAILED, {}, [requestProblem('Request.PreconditionUnsupported')]);

/** Adds tags to records and lists. Runs a write only if `If-Match` contains the current tag of the record. */
export class Preconditions {
  private readonly readers: ReadonlyMap<string, Route>;
  private readonly recordShapes: ReadonlySet<TSchema>;

  constructor(
    routes: readonly Route[],
    private readonly calls: Pick<Calls, 'runIf'>,
  ) {
    this.readers = new Map(routes.filter(({ method }) => method === 'get').map((route) => [route.path, route]));
    const guardedPaths = new Set(routes.flatMap(({ guard }) => guard?.shownBy ?? []));
    const recordReaders = [...this.readers.values()].filter(
      ({ path }) => path.endsWith('/:id') || guardedPaths.has(path),
    );
    this.recordShapes = new Set(recordReaders.flatMap(({ answers }) => dataShapeOf(answers[200]) ?? []));
  }

  /** Runs the handler of the route. Throws 412 when `If-Match` does not list the tag of the record. */
  async run(route: Route, call: Call<object>): Promise<HandlerResult> {
    const header = call.request.headers['if-match'];
    if (header === undefined || route.method === 'get') return route.handle(call);
    const { guard } = route;
    const reader = guard && this.readers.get(guard.shownBy);
    if (guard === undefined || reader === undefined) throw UNSUPPORTED;
    const id = (await guard.id?.(call)) ?? call.id;
    const read = () => reader.handle({ ...call, id });
    // Reads the record once before the check, because reading an overdue proforma expires it. The check itself cannot
    // write.
    const shownResult = await read();
    if (shownResult === undefined || isRefusal(shownResult)) return shownResult;
    const isMet = async () => listsTag(header, await tagOf(await read(), call));
    return this.calls
      .runIf({ kind: guard.kind, appId: call.app.id, id, isMet }, () => route.handle(call))
      .catch(refuseFailed);
  }

  /** Adds the tag of a record or list. Answers 304 when the client already has the tag. */
  async tag(route: Route, answer: Answer, request: Call['request']): Promise<Answer> {
    const { method, media } = route;
    const isRead = method === 'get' && media === undefined && answer.status === 200;
    if (answer.chunks !== undefined || !(isRead || this.isRecord(route, answer))) return answer;
    const taggedAnswer = await withEntityTag(answer);
    const { headers = {} } = taggedAnswer;
    const header = request.headers['if-none-match'];
    return isRead && header !== undefined && listsTag(header, headers['ETag'])
      ? { status: 304, headers }
      : taggedAnswer;
  }

  private isRecord({ answers, returnsSecret }: Route, { status }: Answer): boolean {
    const shape = dataShapeOf(answers[status]);
    return status < 300 && !returnsSecret && shape !== undefined && this.recordShapes.has(shape);
  }
}

function dataShapeOf(shape: TSchema | null | undefined): TSchema | undefined {
  const { data } = (shape?.['properties'] ?? {}) as { readonly data?: TSchema };
  return data;
}

async function tagOf(result: HandlerResult, { app }: Pick<Call, 'app'>): Promise<string | undefined> {
  if (result === undefined) return undefined;
  const answer = toAnswer(result, app);
  return answer.status === 200 ? (await withEntityTag(answer)).headers?.['ETag'] : undefined;
}

function refuseFailed(error: unknown): never {
  throw isConditionFailed(error) ? new HttpProblem(PRECONDITION_FAILED) : error;
}
