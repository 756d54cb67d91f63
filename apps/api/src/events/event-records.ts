import type { AppContext } from '@back-office/apps';
import type { Database } from '@back-office/database';
import { EVENT_KINDS, type EventRecord, type SubjectKind } from '@back-office/events';
import type { Clock } from '@back-office/kernel';
import { presentConsent } from '../consents/index.js';
import { presentOrder } from '../orders/index.js';
import { presentProforma } from '../proformas/index.js';
import { VOUCHER } from '../setup/index.js';
import { presentEndpoint } from './webhook-endpoint.js';

export type RecordPorts = Pick<
  Database,
  | 'proformaQueries'
  | 'orderQueries'
  | 'stockQueries'
  | 'productQueries'
  | 'customerQueries'
  | 'consentQueries'
  | 'mediaFileQueries'
  | 'setUpQueries'
  | 'webhookEndpoints'
>;

type RecordsBySubject = ReadonlyMap<string, object>;

/** Reads the current state of the records that events are about, with one statement for each kind of record. */
export class EventRecords {
  constructor(
    private readonly ports: RecordPorts,
    private readonly clock: Clock,
  ) {}

  async find(app: AppContext, events: readonly EventRecord[]): Promise<RecordsBySubject> {
    const kinds = new Set(events.map(({ type }) => EVENT_KINDS[type].subject));
    const recordMaps = await Promise.all(
      [...kinds].map(async (kind) => {
        const eventsOfKind = events.filter(({ type }) => EVENT_KINDS[type].subject === kind);
        const ids = [...new Set(eventsOfKind.map(({ recordId }) => recordId))];
        const records = await FINDERS[kind](this.ports, { app, ids, events: eventsOfKind, now: this.clock.now() });
        return records.map(([id, record]) => [`${kind}/${id}`, record] as const);
      }),
    );
    return new Map(recordMaps.flat());
  }
}

interface WantedRecords {
  readonly app: AppContext;
  readonly ids: readonly number[];
  readonly events: readonly EventRecord[];
  readonly now: Date;
}

/** Finds the wanted records. Returns each one with its id as the subject of an event shows it. */
type Finder = (
  ports: RecordPorts,
  wanted: WantedRecords,
) => Promise<(readonly [id: number | string, record: object])[]>;

const FINDERS: Readonly<Record<SubjectKind, Finder>> = {
  proforma_orders: async ({ proformaQueries }, { app, ids, now }) =>
    (await proformaQueries.findAll(app.id, ids)).map((proforma) => [proforma.id, presentProforma(app, proforma, now)]),
  orders: async ({ orderQueries }, { app, ids }) =>
    (await orderQueries.findAll(app.id, ids)).map((order) => [order.id, presentOrder(app, order)]),
  stocks: async ({ stockQueries }, { app, events }) =>
    (await stockQueries.findAll(app.id, shelvesOf(events))).map((row) => [
      `${row.product_variant_id}/${row.warehouse_id}`,
      row,
    ]),
  products: async ({ productQueries }, { app, ids }) => [...(await productQueries.findAll(app, ids))],
  customers: async ({ customerQueries }, { app, ids }) =>
    (await customerQueries.findAll(app.id, ids)).map((customer) => [customer.id, customer]),
  consents: async ({ consentQueries }, { app, ids }) =>
    [...(await consentQueries.findAll(app.id, ids))].map(([id, consent]) => [id, presentConsent(consent)]),
  files: async ({ mediaFileQueries }, { app, ids }) => [...(await mediaFileQueries.findAll(app.id, ids))],
  vouchers: async ({ setUpQueries }, { app, ids }) =>
    (await setUpQueries.findAll('vouchers', app.id, ids)).map((row) => [String(row['id']), VOUCHER.present(row, app)]),
  webhook_endpoints: async ({ webhookEndpoints }, { app, ids, now }) =>
    (await webhookEndpoints.findAll(app.id, ids)).map((endpoint) => [endpoint.id, presentEndpoint(endpoint, now)]),
};

function shelvesOf(events: readonly EventRecord[]) {
  const shelves = new Map(
    events.flatMap(({ recordId: variantId, warehouseId }) =>
      warehouseId === null ? [] : [[`${variantId}/${warehouseId}`, { variantId, warehouseId }]],
    ),
  );
  return [...shelves.values()];
}
