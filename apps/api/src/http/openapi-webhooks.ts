import type { TSchema } from '@sinclair/typebox';
import { extractNamedShapes } from './openapi-shapes.js';

type Json = Record<string, unknown>;

/** A request that the service sends to the endpoints of an app. */
export interface WebhookDescription {
  readonly name: string;
  readonly summary: string;
  readonly shape: TSchema;
  readonly example: unknown;
}

export function describeWebhook({ name, summary, shape, example }: WebhookDescription, schemas: Json): Json {
  const header = (headerName: string, description: string): Json => ({
    name: headerName,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  });
  const post = {
    operationId: `webhook:${name}`,
    summary,
    security: [],
    parameters: [
      header('webhook-id', 'The same for every attempt to deliver the event to the endpoint'),
      header('webhook-timestamp', 'Unix seconds of the attempt'),
      header('webhook-signature', 'Standard Webhooks: one or several `v1,<base64>`, separated by spaces'),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: extractNamedShapes(shape, schemas), example } },
    },
    responses: { '2XX': { description: 'Accepted; any other answer is repeated' } },
  };
  return { post };
}
