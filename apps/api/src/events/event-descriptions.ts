import { EVENT_KINDS } from '@back-office/events';
import { EVENT_TYPES } from '@back-office/kernel';
import type { WebhookDescription } from '../http/openapi-webhooks.js';
import { Type } from '@sinclair/typebox';
import { record } from '../http/shapes.js';
import { EVENT_EXAMPLES } from './event-examples.js';
import { fieldsOfEvent } from './event-shapes.js';

/** Describes the requests that webhook endpoints receive, one for each event type. */
export function describeEvents(): WebhookDescription[] {
  return EVENT_TYPES.map((type) => ({
    name: type,
    summary: EVENT_KINDS[type].description,
    shape: record({
      ...fieldsOfEvent(type),
      dataref: Type.Optional(Type.String({ description: 'path of the record, when `data` would be too large' })),
    }),
    example: EVENT_EXAMPLES[type],
  }));
}
