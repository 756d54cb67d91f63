import { checkGranted, SCOPE_NOT_HELD, type AuditLog } from '@back-office/apps';
import {
  isContradictory,
  isDelivered,
  isReadable,
  TOO_MANY_ENDPOINTS,
  type WebhookEndpoint,
  type WebhookEndpoints,
  type WebhookSender,
} from '@back-office/events';
import { addSeconds, IS_INVALID, isRefusal, parsePage, refuse, type Clock } from '@back-office/kernel';
import { presentEndpoint, WebhookEndpointShape } from '../events/index.js';
import { CallsInProgress } from '../http/calls-in-progress.js';
import { Busy } from '../http/errors.js';
import { answerWith, created, NO_CONTENT, ok, type Answer } from '../http/answer.js';
import { PAGING } from '../http/query-parameters.js';
import { route, SMALL_BODY_BYTES, type Guard, type Route } from '../http/route.js';
import { listOf, record } from '../http/shapes.js';
import { newSecret } from './signature.js';
import type { TestMessage } from './test-message.js';
import {
  overlapSeconds,
  PatchWebhookEndpoint,
  PostWebhookEndpoint,
  readableAreas,
  RotateWebhookSecret,
  scopesOf,
  TestResultShape,
  WebhookEndpointWithSecretShape,
} from './webhook-fields.js';

const DEFAULT_LIMIT = 30;
/** Each waits up to 15 seconds for its receiver. */
const MAX_TESTS_OF_APP = 10;
const ENDPOINT_GUARD: Guard = { kind: 'webhook endpoint', shownBy: '/webhook_endpoints/:id' };

export const URL_NOT_ALLOWED = 'API.Webhooks.UrlNotAllowed';

export interface EndpointParts {
  readonly endpoints: WebhookEndpoints;
  readonly sender: WebhookSender;
  readonly testMessage: TestMessage;
  readonly auditLog: Pick<AuditLog, 'note'>;
  readonly clock: Clock;
}

export function webhookEndpointRoutes(parts: EndpointParts): Route[] {
  return [...readRoutes(parts), ...writeRoutes(parts), ...secretRoutes(parts)];
}

function readRoutes({ endpoints, clock }: EndpointParts): Route[] {
  return [
    route({
      method: 'get',
      path: '/webhook_endpoints',
      caller: 'app',
      scope: 'webhooks:read',
      extension: true,
      summary: 'Lists the endpoints that receive events, oldest first, without their secrets',
      query: PAGING,
      answers: { 200: record({ data: listOf(WebhookEndpointShape) }) },
      handle: async ({ app, query }) => {
        const list = await endpoints.list(app.id, parsePage(query, DEFAULT_LIMIT));
        return ok(list.map((endpoint) => presentEndpoint(endpoint, clock.now())));
      },
    }),
    route({
      method: 'get',
      path: '/webhook_endpoints/:id',
      caller: 'app',
      scope: 'webhooks:read',
      extension: true,
      summary: 'Shows an endpoint without its secrets',
      answers: { 200: record({ data: WebhookEndpointShape }) },
      handle: async ({ app, id }) =>
        answerWith(await endpoints.find(app.id, id), (endpoint) => ok(presentEndpoint(endpoint, clock.now()))),
    }),
  ];
}

function writeRoutes({ endpoints, sender, clock }: EndpointParts): Route[] {
  return [
    route({
      method: 'post',
      path: '/webhook_endpoints',
      caller: 'app',
      scope: 'webhooks:write',
      extension: true,
      summary: 'Adds an endpoint for events that happen from now on; only this response shows its secret',
      body: PostWebhookEndpoint,
      maxBodyBytes: SMALL_BODY_BYTES,
      answers: { 201: record({ data: WebhookEndpointWithSecretShape }) },
      returnsSecret: true,
      refusals: [SCOPE_NOT_HELD, TOO_MANY_ENDPOINTS, URL_NOT_ALLOWED],
      handle: async ({ app, tokenId, scopes, body: { webhook_endpoint: fields } }) => {
        const { url, description = null, types = null, subject = null } = fields;
        if (!sender.accepts(url)) return refuse(URL_NOT_ALLOWED, 'url');
        const secret = newSecret();
        const areas = readableAreas(scopes);
        const filter = { types, subject, areas };
        if (isContradictory(filter)) return refuse(IS_INVALID, 'subject');
        if (!isReadable(filter)) return refuse(SCOPE_NOT_HELD);
        const result = await endpoints.create(app.id, { url, description, ...filter, createdBy: tokenId, secret });
        return isRefusal(result) ? result : created({ ...presentEndpoint(result, clock.now()), secret });
      },
    }),
    route({
      method: 'patch',
      path: '/webhook_endpoints/:id',
      guard: ENDPOINT_GUARD,
      caller: 'app',
      scope: 'webhooks:write',
      extension: true,
      summary: 'Changes or pauses an endpoint; absent fields stay. `status` active also delivers what it has missed',
      body: PatchWebhookEndpoint,
      maxBodyBytes: SMALL_BODY_BYTES,
      answers: { 200: record({ data: WebhookEndpointShape }) },
      refusals: [SCOPE_NOT_HELD, URL_NOT_ALLOWED],
      handle: async ({ app, id, scopes, body: { webhook_endpoint: fields } }) => {
        const { url, description, types, subject, status } = fields;
        const endpoint = await endpoints.find(app.id, id);
        const refusal = endpoint && checkGranted(scopes, scopesOf(endpoint.areas));
        if (refusal) return refusal;
        if (endpoint && typeof url === 'string' && !sender.accepts(url)) return refuse(URL_NOT_ALLOWED, 'url');
        const change = { url: url ?? undefined, description, types, subject, status: status ?? undefined };
        return answerWith(await endpoints.change(app.id, id, change), (changed) =>
          ok(presentEndpoint(changed, clock.now())),
        );
      },
    }),
    route({
      method: 'delete',
      path: '/webhook_endpoints/:id',
      guard: ENDPOINT_GUARD,
      caller: 'app',
      scope: 'webhooks:write',
      extension: true,
      summary: 'Removes an endpoint and its log of deliveries',
      answers: { 204: null },
      handle: async ({ app, id }) => ((await endpoints.remove(app.id, id)) ? NO_CONTENT : undefined),
    }),
  ];
}

function secretRoutes({ endpoints, testMessage, auditLog, clock }: EndpointParts): Route[] {
  const present =
    (secret: string) =>
    (endpoint: WebhookEndpoint): Answer =>
      created({ ...presentEndpoint(endpoint, clock.now()), secret });
  const tests = new CallsInProgress<number>(MAX_TESTS_OF_APP);
  return [
    route({
      method: 'post',
      path: '/webhook_endpoints/:id/rotate_secret',
      guard: ENDPOINT_GUARD,
      caller: 'app',
      scope: 'webhooks:write',
      extension: true,
      summary: 'Adds a new secret; the old ones also sign until the end of `overlap`',
      body: RotateWebhookSecret,
      bodyOptional: true,
      maxBodyBytes: SMALL_BODY_BYTES,
      answers: { 201: record({ data: WebhookEndpointWithSecretShape }) },
      returnsSecret: true,
      refusals: [SCOPE_NOT_HELD],
      handle: async ({ app, id, scopes, body }) => {
        const endpoint = await endpoints.find(app.id, id);
        const refusal = endpoint && checkGranted(scopes, scopesOf(endpoint.areas));
        if (refusal) return refusal;
        const secret = newSecret();
        const overlapEndsAt = addSeconds(clock.now(), overlapSeconds(body));
        return answerWith(await endpoints.rotateSecret(app.id, id, secret, overlapEndsAt), present(secret));
      },
    }),
    route({
      method: 'post',
      path: '/webhook_endpoints/:id/test',
      caller: 'app',
      scope: 'webhooks:write',
      extension: true,
      summary: 'Sends an event of the type `webhook.test` now and shows the result; it is not in the log',
      answers: { 200: record({ data: TestResultShape }) },
      handle: async ({ app, id }) => {
        const endpoint = await endpoints.find(app.id, id);
        if (endpoint === undefined) return undefined;
        const result = await tests.run(app.id, async () => {
          await auditLog.note(app.id, { action: 'webhook_endpoint.test', subjectId: id });
          return testMessage.send(app.id, endpoint);
        });
        if (result === undefined) throw new Busy('app_webhook_tests');
        const { answer, latencyMs } = result;
        return ok({
          delivered: isDelivered(answer),
          status: 'status' in answer ? answer.status : null,
          error: 'error' in answer ? answer.error : null,
          latency_ms: latencyMs,
          response: 'status' in answer ? answer.text : null,
        });
      },
    }),
  ];
}
