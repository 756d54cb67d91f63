import { EVENT_KINDS, type SubjectKind } from '@back-office/events';
import { EVENT_TYPES, type EventType } from '@back-office/kernel';
import { Type, type TSchema } from '@sinclair/typebox';
import { ProductShape } from '../catalogue/index.js';
import { ConsentShape } from '../consents/index.js';
import { CustomerShape } from '../customers/index.js';
import { SCHEMA_REF_PREFIX } from '../http/openapi-bodies.js';
import {
  boolean,
  component,
  described,
  integer,
  listOf,
  nullable,
  oneOf,
  record,
  text,
  type TypeOf,
} from '../http/shapes.js';
import { FileShape } from '../media/index.js';
import { OrderShape } from '../orders/index.js';
import { ProformaShape } from '../proformas/index.js';
import { VOUCHER } from '../setup/index.js';
import { StockShape } from '../stock/index.js';
import { WebhookEndpointShape } from './webhook-endpoint.js';

const PurgedFileShape = record({ id: integer, key: text });

const SHAPE_OF_SUBJECT: Readonly<Record<SubjectKind, TSchema>> = {
  proforma_orders: ProformaShape,
  orders: OrderShape,
  stocks: StockShape,
  products: ProductShape,
  customers: CustomerShape,
  consents: ConsentShape,
  files: FileShape,
  vouchers: VOUCHER.shape,
  webhook_endpoints: WebhookEndpointShape,
};

/** Returns the schema of the record in events of this type. */
export function shapeOfData(type: EventType): TSchema {
  return type === 'file.purged' ? PurgedFileShape : SHAPE_OF_SUBJECT[EVENT_KINDS[type].subject];
}

/** The envelope of CloudEvents. */
const ENVELOPE = {
  specversion: oneOf(['1.0']),
  id: text,
  source: Type.String({ description: 'the app: `/apps/<id>`' }),
  type: oneOf(EVENT_TYPES),
  time: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$', description: 'UTC' }),
  subject: Type.String({
    description: 'the record: `proforma_orders/<id>`, `stocks/<variant id>/<warehouse id>`, `consents/<customer id>` …',
  }),
  sequence: Type.String({ description: 'grows from event to event of an app; compare as texts' }),
  partid: Type.Optional(Type.Integer({ description: 'the id of the refund, or the index of the alert' })),
  datacontenttype: oneOf(['application/json']),
  data: Type.Unsafe<object | null>({}),
};

const DATA_DESCRIPTION = 'the record as it is now, in the shape of its own call; null when it no longer exists';

/** Returns the fields of an event of this type. */
export function fieldsOfEvent(type: EventType) {
  const data = described(nullable(shapeOfData(type)), DATA_DESCRIPTION);
  return { ...ENVELOPE, type: oneOf([type]), data };
}

/** Returns for example `OrderCreatedEvent`. */
function shapeName(type: EventType): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

function shapeOfEvent(type: EventType): TSchema {
  return described(component(shapeName(type), fieldsOfEvent(type)), EVENT_KINDS[type].description);
}

const mapping = Object.fromEntries(EVENT_TYPES.map((type) => [type, SCHEMA_REF_PREFIX + shapeName(type)]));

export type ShownEvent = TypeOf<ReturnType<typeof record<typeof ENVELOPE>>>;

/** One shape for each type, so that generated types narrow `data` by `type`. */
export const EventShape = Type.Unsafe<ShownEvent>({
  oneOf: EVENT_TYPES.map((type) => shapeOfEvent(type)),
  discriminator: { propertyName: 'type', mapping },
  $id: 'Event',
});

export const EventPageShape = record({ events: listOf(EventShape), cursor: text, has_more: boolean });
